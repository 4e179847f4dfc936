#!/usr/bin/env node
// Runs the program in the package for this platform, as if it had been called itself.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { optionalDependencies } = require("../package.json");

const fail = (message) => {
  console.error(`fatal: ${message}`);
  process.exit(128);
};

const platform = `${process.platform}-${process.arch}`;
const name = `git-sq-${platform}`;
if (!(name in optionalDependencies)) {
  fail(`npm has no git-sq for ${platform}: build it with \`cargo install --locked git-sq\``);
}
let program;
try {
  program = require.resolve(`${name}/bin/git-sq${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  fail(`the package ${name} is missing: install git-sq again with \`npm install --include=optional\``);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(`could not run ${program}: ${error.message}`));
// A terminal sends these two to the program as well, which ends at once when it gets another one.
const isOnTerminal = [0, 1, 2].some(require("node:tty").isatty);
for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"]) {
  process.on(signal, () => {
    if (!isOnTerminal || signal === "SIGTERM") child.kill(signal);
  });
}
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.exitCode = 128 + constants.signals[signal];
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
