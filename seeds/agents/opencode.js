// Planted by `git sq agent install`: brings the brief of `git sq` into each session, and names the session in its log.
import { spawnSync } from "node:child_process"

export const GitSq = async ({ client, directory }) => {
  const parents = new Map()
  const briefs = new Map()
  const named = (id) => parents.get(id) ?? id
  const hook = (event, id, more) => {
    const input = JSON.stringify({ harness: "opencode", session_id: id, cwd: directory, ...more })
    const ran = spawnSync("git", ["sq", "hook", event], { input, cwd: directory, encoding: "utf8", timeout: 10000 })
    return ran.status === 0 ? ran.stdout : ""
  }
  process.on("exit", () => {
    for (const id of briefs.keys()) hook("session-end", id)
  })
  return {
    "chat.message": async ({ sessionID }, { message }) => {
      if (parents.has(sessionID) || briefs.has(sessionID)) return
      briefs.set(sessionID, hook("session-start", sessionID, { model: message.model?.modelID }))
    },
    // As a part of the message itself, it would also be in the request for a title.
    "experimental.chat.messages.transform": async (_, { messages }) => {
      const first = messages.find(({ info }) => info.role === "user")
      const text = briefs.get(first?.info.sessionID)
      if (!text) return
      const { id, sessionID } = first.info
      first.parts.unshift({ id: "prt_git_sq", sessionID, messageID: id, type: "text", text, synthetic: true })
    },
    "shell.env": async ({ sessionID }, { env }) => {
      if (sessionID) env.SQ_SESSION = named(sessionID)
    },
    event: async ({ event }) => {
      const { info, sessionID } = event.properties
      if (event.type === "session.created" && info.parentID) parents.set(info.id, named(info.parentID))
      if (event.type === "session.compacted" && briefs.has(sessionID))
        briefs.set(sessionID, hook("session-start", sessionID, { source: "compact" }))
      if (event.type !== "session.idle" || parents.has(sessionID)) return
      const text = hook("stop", sessionID)
      const parts = [{ type: "text", text, synthetic: true }]
      if (text) await client.session.prompt({ path: { id: sessionID }, body: { parts } })
    },
  }
}
