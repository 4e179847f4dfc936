// Planted by `git sq agent install`: brings the brief of `git sq` into each session, and names the session in its log.
import { spawnSync } from "node:child_process"

export const GitSq = async ({ client, directory }) => {
  const parents = new Map()
  const begun = new Set()
  const named = (id) => parents.get(id) ?? id
  const hook = (event, id) => {
    const input = JSON.stringify({ session_id: id, cwd: directory, hook_event_name: event })
    const ran = spawnSync("git", ["sq", "hook", event], { input, cwd: directory, encoding: "utf8", timeout: 10000 })
    return ran.status === 0 ? ran.stdout : ""
  }
  return {
    "chat.message": async ({ sessionID }, { message, parts }) => {
      if (parents.has(sessionID) || begun.has(sessionID)) return
      begun.add(sessionID)
      const text = hook("session-start", sessionID)
      const id = `prt_${Date.now().toString(16).padStart(12, "0")}sq`
      if (text) parts.unshift({ id, sessionID, messageID: message.id, type: "text", text, synthetic: true })
    },
    "shell.env": async ({ sessionID }, { env }) => {
      if (sessionID) env.SQ_SESSION = named(sessionID)
    },
    event: async ({ event }) => {
      const { info, sessionID } = event.properties
      if (event.type === "session.created" && info.parentID) parents.set(info.id, named(info.parentID))
      if (event.type !== "session.idle" || parents.has(sessionID)) return
      const text = hook("stop", sessionID)
      const parts = [{ type: "text", text, synthetic: true }]
      if (text) await client.session.prompt({ path: { id: sessionID }, body: { parts } })
    },
  }
}
