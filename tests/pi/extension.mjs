// Plays Pi for our extension: `node extension.mjs FOLDER PROGRAM`. The folder holds nothing yet;
// the program is the real one. Every check is an assertion; the last line counts them.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, real] = process.argv.slice(2);
const template = readFileSync(new URL("../../templates/pi.ts", import.meta.url), "utf8");
const agent = join(folder, "agent");
process.env.PI_CODING_AGENT_DIR = agent;
process.env.PROVIDER_API_KEY = "secret";
let count = 0;
let loaded = 0;

/** A program that answers from files: what `choices` says, what a judge says; and keeps what it was given. */
function fake(name, { judge = "", choices = "" }) {
  const path = join(folder, name);
  const told = JSON.stringify({
    protocol: 1,
    file: join(agent, "none.json"),
    judges: [{ name: "edits", on: true, about: "a", events: ["tool_call", "agent_before_settle"] }],
  });
  writeFileSync(
    path,
    `#!/bin/sh\nif [ "$1" = choices ]; then echo "$@" >>'${path}.calls'; ${choices || `printf '%s' '${told}'`}; exit; fi\n` +
      `echo judged >>'${path}.calls'; cat >'${path}.input'; env >'${path}.env'\n${judge}\n`,
  );
  chmodSync(path, 0o755);
  return path;
}

const says = (answer) => `printf '%s' '${JSON.stringify({ protocol: 1, ...answer })}'`;
const calls = (path) => {
  try {
    return readFileSync(`${path}.calls`, "utf8").trim().split("\n");
  } catch {
    return [];
  }
};

/** Loads the extension for a program, with a session begun. */
async function pi(program, { ui, args = ["judge"], digest, late, cwd = folder, started = true } = {}) {
  const sha256 = digest ?? createHash("sha256").update(readFileSync(program)).digest("hex");
  let source = template
    .replace('"{{program}}"', JSON.stringify(program))
    .replace('"{{sha256}}"', JSON.stringify(sha256))
    .replace('"{{arguments}}"', JSON.stringify(args));
  if (late) source = source.replace("const LATE = 30_000", `const LATE = ${late}`);
  assert.ok(!source.includes('"{{'));
  const file = join(folder, `pi-${(loaded += 1)}.mjs`);
  writeFileSync(file, source);
  const handlers = {};
  const commands = {};
  const told = [];
  (await import(pathToFileURL(file).href)).default({
    on: (name, handler) => (handlers[name] = handler),
    registerCommand: (name, command) => (commands[name] = command),
  });
  const notify = (message, level) => told.push({ message, level });
  const stop = new AbortController();
  const ctx = {
    cwd,
    mode: ui ? "tui" : "print",
    hasUI: ui !== undefined,
    ui: { confirm: () => false, select: () => undefined, ...ui, notify },
    signal: stop.signal,
    sessionManager: { getSessionId: () => "s-1" },
  };
  const host = {
    told,
    stop,
    say: (words) => commands.hooks.handler(words, ctx),
    alias: commands.solvi,
    fire: (name, event) => handlers[name]({ type: name, ...event }, ctx),
    prompt: () => handlers.before_agent_start({ type: "before_agent_start", messageType: "user" }, ctx),
    edit: (id = "c-1") =>
      handlers.tool_call(
        { type: "tool_call", toolName: "write", toolCallId: id, input: { path: "a.py", content: "x = eval(y)\n" } },
        ctx,
      ),
    settle: (more) =>
      handlers.agent_before_settle(
        { type: "agent_before_settle", outcome: "completed", entries: ["theirs"], continue: false, ...more },
        ctx,
      ),
  };
  if (started) {
    await host.fire("session_start", { reason: "startup" });
    await host.prompt();
  }
  return host;
}

async function check(_name, body) {
  rmSync(agent, { recursive: true, force: true });
  mkdirSync(agent);
  await body();
  count += 1;
}

await check("what is allowed runs", async () => {
  const program = fake("allows", { judge: says({ verdict: "allow" }) });
  const host = await pi(program);
  assert.equal(await host.edit(), undefined);
  const payload = JSON.parse(readFileSync(`${program}.input`, "utf8"));
  assert.deepEqual([payload.client, payload.protocol, payload.session_id, payload.cwd], ["pi", 1, "s-1", folder]);
  assert.deepEqual([payload.judges, payload.event.toolName], [["edits"], "write"]);
  assert.ok(!readFileSync(`${program}.env`, "utf8").includes("PROVIDER"));
});

await check("what is refused is refused with its reason", async () => {
  const host = await pi(fake("denies", { judge: says({ verdict: "deny", reason: "R" }) }));
  assert.deepEqual(await host.edit(), { block: true, reason: "R" });
});

await check("a person who is asked decides, and without one it is refused", async () => {
  const program = fake("asks", { judge: says({ verdict: "ask", reason: "R" }) });
  assert.equal(await (await pi(program, { ui: { confirm: () => true } })).edit(), undefined);
  for (const ui of [undefined, { confirm: () => false }, { confirm: () => undefined }]) {
    const answer = await (await pi(program, { ui })).edit();
    assert.ok(answer.block && answer.reason.includes("R"));
  }
});

await check("a warning is read with the result, once", async () => {
  const host = await pi(fake("warns", { judge: says({ verdict: "warn", reason: "W" }) }), { ui: {} });
  assert.equal(await host.edit("c-7"), undefined);
  assert.deepEqual(host.told, [{ message: "W", level: "warning" }]);
  const result = { toolCallId: "c-7", content: [{ type: "text", text: "done" }] };
  assert.deepEqual((await host.fire("tool_result", result)).content[1], { type: "text", text: "W" });
  assert.equal(await host.fire("tool_result", result), undefined);
});

await check("nonsense refuses", async () => {
  for (const [at, judge] of [
    "",
    "printf nonsense",
    "printf '[]'",
    says({ verdict: "allow" }).replace('"protocol":1', '"protocol":2'),
    says({ verdict: "maybe" }),
    says({}),
    says({ verdict: "allow", reason: 5 }),
    `${says({ verdict: "allow" })}; ${says({ verdict: "allow" })}`,
    `${says({ verdict: "allow" })}; exit 3`,
    `${says({ verdict: "allow" })}; kill -KILL $$`,
    "yes nonsense",
  ].entries()) {
    const answer = await (await pi(fake(`nonsense-${at}`, { judge }))).edit();
    assert.ok(answer?.block && answer.reason.includes("could not judge"), judge);
  }
});

await check("what is late or cancelled is refused, and ended with all it started", async () => {
  const program = fake("late", { judge: `(sleep 60; echo x >'${folder}/left') & echo $! >'${folder}/pid'; wait` });
  const late = await (await pi(program, { late: 500 })).edit();
  assert.match(late.reason, /longer than 0.5 s/);
  const gone = () => {
    try {
      process.kill(Number(readFileSync(join(folder, "pid"), "utf8")), 0);
      return false;
    } catch {
      return true;
    }
  };
  for (let tries = 0; !gone() && tries < 100; tries += 1) await new Promise((done) => setTimeout(done, 50));
  assert.ok(gone());
  const host = await pi(program);
  const waiting = host.edit();
  setTimeout(() => host.stop.abort(), 100);
  assert.match((await waiting).reason, /cancelled/);
  const ended = await pi(program);
  const open = ended.edit();
  setTimeout(() => ended.fire("session_shutdown", {}), 100);
  assert.match((await open).reason, /cancelled/);
});

await check("another program than was installed, or none, refuses", async () => {
  const program = fake("changed", { judge: says({ verdict: "allow" }) });
  const host = await pi(program);
  assert.equal(await host.edit(), undefined);
  writeFileSync(program, readFileSync(program, "utf8") + "# more\n");
  assert.match((await host.edit()).reason, /not the one that was installed/);
  rmSync(program);
  assert.ok((await host.edit()).block);
  const never = await pi(join(folder, "allows"), { digest: "0".repeat(64) });
  assert.match((await never.edit()).reason, /no tool runs/);
});

await check("before a session has begun no tool runs", async () => {
  const host = await pi(join(folder, "allows"), { started: false });
  assert.ok((await host.edit()).block);
});

await check("choices that cannot be read stop everything until they can", async () => {
  const program = fake("malformed", {
    judge: says({ verdict: "allow" }),
    choices: `if [ -e '${folder}/mended' ]; then ${says({ file: "/none", judges: [] })}; else echo broken >&2; exit 2; fi`,
  });
  const host = await pi(program, { ui: {} });
  assert.match((await host.edit()).reason, /no tool runs/);
  assert.match(host.told[0].message, /broken/);
  assert.ok(!calls(program).includes("judged"));
  writeFileSync(join(folder, "mended"), "");
  await host.prompt();
  assert.equal(await host.edit(), undefined);
});

await check("a refused turn goes on once, and is shown then", async () => {
  const host = await pi(fake("settles", { judge: says({ verdict: "deny", reason: "R" }) }), { ui: {} });
  const first = await host.settle();
  assert.deepEqual([first.continue, first.entries[0], first.entries[1].content], [true, "theirs", "R"]);
  assert.equal(first.entries[1].type, "custom_message");
  for (let again = 0; again < 2; again += 1) {
    const next = await host.settle();
    assert.ok(!("continue" in next));
    assert.equal(next.entries[0], "theirs");
  }
  assert.equal(host.told.at(-1).level, "error");
  await host.fire("before_agent_start", { messageType: "custom" });
  assert.ok(!("continue" in (await host.settle())));
  await host.prompt();
  assert.equal((await host.settle()).continue, true);
});

await check("a turn that goes on anyway, or failed, is not judged", async () => {
  const program = fake("unsettled", { judge: says({ verdict: "deny", reason: "R" }) });
  const host = await pi(program);
  assert.equal(await host.settle({ continue: true }), undefined);
  assert.equal(await host.settle({ outcome: "error" }), undefined);
  assert.ok(!calls(program).includes("judged"));
  const quiet = await pi(fake("quiet", { judge: says({ verdict: "allow" }) }));
  assert.equal(await quiet.settle(), undefined);
  const broken = await pi(fake("broken", { judge: "exit 1" }));
  assert.match((await broken.settle()).entries[1].content, /could not check/);
});

await check("the real program judges, and its choices are kept", async () => {
  const args = ["hook", "--agent", "pi", "--no-store"];
  const host = await pi(real, { args, ui: { select: (_title, rows) => rows[0] } });
  assert.ok(host.alias);
  assert.match((await host.edit()).reason, /no-eval: never/);
  await host.say("disable edits");
  assert.equal(host.told.at(-1).message, "edits is off\nstop is on");
  assert.equal(await host.edit(), undefined);
  const again = await pi(real, { args });
  assert.equal(await again.edit(), undefined);
  await host.say("");
  assert.equal(host.told.at(-1).message, "edits is on\nstop is on");
  assert.ok((await host.edit()).block);
  await again.prompt();
  assert.ok((await again.edit()).block);
  await host.say("disable nobody");
  assert.match(host.told.at(-1).message, /invalid value 'nobody'/);
  assert.match((await host.edit()).reason, /no-eval/);
  writeFileSync(join(agent, "solvi-hook.choices.json"), "{}");
  await host.prompt();
  assert.match((await host.edit()).reason, /no tool runs/);
  await host.say("enable edits");
  assert.equal(readFileSync(join(agent, "solvi-hook.choices.json"), "utf8"), "{}");
  await host.say("reset --yes");
  assert.match((await host.edit()).reason, /no-eval/);
});

await check("the model reads when what was written would have been refused", async () => {
  const host = await pi(real, { args: ["hook", "--agent", "pi", "--no-store"] });
  writeFileSync(join(folder, "a.py"), "x = eval(y)\n");
  const made = { toolName: "write", toolCallId: "c", content: [], isError: false };
  const result = (content) => host.fire("tool_result", { ...made, input: { path: "a.py", content } });
  assert.match((await result("x = eval(y)\n")).content[0].text, /already been written[^]*no-eval/);
  writeFileSync(join(folder, "a.py"), "x = y\n");
  assert.equal(await result("x = y\n"), undefined);
});

await check("a name is found on PATH, and not in the repository", async () => {
  const repository = join(folder, "repository");
  const [inside, outside, cwd] = ["repository/bin", "outside", "repository/below"].map((name) => join(folder, name));
  for (const made of [inside, outside, cwd, join(repository, ".git")]) mkdirSync(made, { recursive: true });
  const other = fake("repository/bin/solvi-hook", { judge: says({ verdict: "allow" }) });
  const program = fake("outside/solvi-hook", { judge: says({ verdict: "allow" }) });
  const [path, name] = [process.env.PATH, { digest: "", cwd, ui: {} }];
  symlinkSync(inside, join(folder, "link"));
  const untrusted = [inside, "bin", "", join(folder, "link")].join(":");
  process.env.PATH = `${untrusted}:${path}`;
  assert.match((await (await pi("solvi-hook", name)).edit()).reason, /not on PATH, or only in this repository/);
  process.env.PATH = `${untrusted}:${outside}:${path}`;
  const host = await pi("solvi-hook", name);
  assert.equal(await host.edit(), undefined);
  await host.say("status");
  assert.match(host.told.at(-1).message, /outside\/solvi-hook is the program on PATH/);
  process.env.PATH = path;
  assert.deepEqual([calls(other).length, calls(program).length > 0], [0, true]);
});

console.log(`${count} passed, 0 failed`);
