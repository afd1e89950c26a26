/**
 * solvi-hook for Pi: asks the program `solvi-hook` before a tool runs, and does as it says.
 *
 * Written by `solvi-hook install --agent pi`, which fills in the three names in braces below and
 * writes this file anew: changes made here are lost. There is no policy in it. Where the program
 * is missing, late, another one than was installed, or speaks nonsense, no tool runs.
 *
 * Types stand in comments, so that every Node.js that Pi runs on can load it as it is.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, sep } from "node:path";

/**
 * The program, its SHA-256, and the arguments with which it judges an event. In an extension that a
 * team shares it is a name, to be found on PATH, and there is no SHA-256.
 */
const PROGRAM = "{{program}}";
const DIGEST = "{{sha256}}";
const JUDGE = "{{arguments}}";

const PROTOCOL = 1;
const LATE = 30_000; // ms; the program itself gives up after 10 s and says so
const GRACE = 2_000; // ms between asking a process to end and ending it
const MOST_OUTPUT = 64 * 1024;
const VERDICTS = ["allow", "warn", "ask", "deny"];
const INSTALL = "run `solvi-hook install --agent pi` again";

/** What of the environment the program may see: no key of any provider. */
const ENVIRONMENT =
  /^(HOME|USER|LOGNAME|PATH|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|APPDATA|LOCALAPPDATA|USERPROFILE|SYSTEMROOT|PI_CODING_AGENT_DIR|SOLVI_HOOK_\w+)$/i;

/** @type {string | null} Why no tool may run. */
let shut = "solvi-hook has not been asked yet which of its judges are on.";
/** @type {{file: string, text: string | null, judges: {name: string, on: boolean, about: string, events: string[]}[]} | null} */
let choices = null;
/** How often this request of the person's was made to go on. */
let repairs = 0;
/** What went wrong last, for the person. */
let trouble = "";
/** @type {Map<string, string>} Warnings that the model reads with the result of a call. */
const warnings = new Map();
const children = new Set();
let verified = "";

/** Returns the program's file; throws unless it is the one that was installed. */
function program(ctx) {
  if (DIGEST === "") return onPath(ctx.cwd);
  const { dev, ino, size, mtimeMs, ctimeMs } = statSync(PROGRAM);
  const found = [dev, ino, size, mtimeMs, ctimeMs].join(" ");
  if (found === verified) return PROGRAM;
  const digest = createHash("sha256").update(readFileSync(PROGRAM)).digest("hex");
  if (digest !== DIGEST) throw new Error(`the program is not the one that was installed; ${INSTALL}`);
  verified = found;
  return PROGRAM;
}

/** Finds the program on PATH, but not in the repository, whose files are not the person's choice. */
function onPath(cwd) {
  let root = cwd;
  while (!existsSync(join(root, ".git")) && dirname(root) !== root) root = dirname(root);
  if (!existsSync(join(root, ".git"))) root = cwd;
  const inside = realpathSync(root) + sep;
  const name = process.platform === "win32" ? `${PROGRAM}.exe` : PROGRAM;
  for (const folder of (process.env.PATH ?? "").split(delimiter).filter(isAbsolute)) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      const places = [realpathSync(folder) + sep, realpathSync(file)];
      if (statSync(file).isFile() && !places.some((place) => place.startsWith(inside))) return file;
    } catch {
      // It is not there.
    }
  }
  throw new Error("`solvi-hook` is not on PATH, or only in this repository; install it");
}

/** Ends a process and what it has started. */
function end(child) {
  const signal = (name) => {
    try {
      if (process.platform === "win32") child.kill(name);
      else process.kill(-child.pid, name);
    } catch {
      // It has ended by itself.
    }
  };
  signal("SIGTERM");
  setTimeout(() => signal("SIGKILL"), GRACE).unref();
}

/**
 * Runs the program and returns what it writes; throws when it fails in any way.
 * @param {string[]} args
 * @param {string} input
 */
function run(args, input, ctx) {
  const file = program(ctx);
  const kept = Object.entries(process.env).filter(([name]) => ENVIRONMENT.test(name));
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: ctx.cwd,
      env: Object.fromEntries(kept),
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    children.add(child);
    let [out, err] = ["", ""];
    let done = false;
    const finish = (settle, value) => {
      if (done) return;
      done = true;
      clearTimeout(timer);
      ctx.signal?.removeEventListener("abort", cancel);
      children.delete(child);
      trouble = err.trim().slice(0, 2000);
      settle(value);
    };
    const fail = (why) => {
      if (!done && child.pid !== undefined) end(child);
      finish(reject, new Error(why));
    };
    const cancel = () => fail("it was cancelled");
    const timer = setTimeout(() => fail(`it took longer than ${LATE / 1000} s`), LATE);
    if (ctx.signal?.aborted) return cancel();
    ctx.signal?.addEventListener("abort", cancel, { once: true });
    child.cancel = cancel;
    child.on("error", (error) => fail(`it could not be started: ${error.message}`));
    child.stdin.on("error", () => {}); // it may answer without reading to the end
    child.stdout.setEncoding("utf8").on("data", (text) => {
      out += text;
      if (out.length > MOST_OUTPUT) fail("it writes too much");
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      if (err.length < MOST_OUTPUT) err += text;
    });
    child.on("close", (code, signal) => {
      if (code === 0) finish(resolve, out);
      else fail(signal ? `it was ended by ${signal}` : `it failed with exit status ${code}`);
    });
    child.stdin.end(input);
  });
}

/** Reads the one object that the program writes. */
function object(text) {
  try {
    const value = JSON.parse(text);
    if (value?.protocol === PROTOCOL) return value;
  } catch {
    // Said below.
  }
  throw new Error(`its answer cannot be read; ${INSTALL}`);
}

function text(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    return error.code === "ENOENT" ? null : undefined;
  }
}

/** Learns which judges are on, unless nothing has changed; shuts the gate when that fails. */
async function learn(ctx, args = []) {
  if (args.length === 0 && choices !== null && text(choices.file) === choices.text) {
    shut = null;
    return;
  }
  try {
    const told = object(await run(["choices", "--json", ...args], "", ctx));
    const sound = (judge) =>
      typeof judge?.name === "string" && typeof judge.on === "boolean" && Array.isArray(judge.events);
    if (typeof told.file !== "string" || !Array.isArray(told.judges) || !told.judges.every(sound)) {
      throw new Error(`its answer cannot be read; ${INSTALL}`);
    }
    choices = { file: told.file, text: text(told.file) ?? null, judges: told.judges };
    shut = null;
  } catch (error) {
    choices = null;
    shut =
      `solvi-hook cannot tell which of its judges are on (${error.message}), so no tool runs. ` +
      "Stop here and tell the user: `/hooks status` says more, `/hooks reset` forgets all choices.";
    throw error;
  }
}

/** The judges that are on and want to be asked at an event. */
function listening(type) {
  const judges = choices?.judges ?? [];
  return judges.filter((judge) => judge.on && judge.events.includes(type)).map((judge) => judge.name);
}

/**
 * Asks the program about an event.
 * @returns {Promise<{verdict: string, reason: string}>}
 */
async function ask(event, judges, ctx) {
  const payload = {
    client: "pi",
    protocol: PROTOCOL,
    session_id: ctx.sessionManager?.getSessionId?.(),
    cwd: ctx.cwd,
    mode: ctx.mode,
    judges,
    event,
  };
  const { verdict, reason = "" } = object(await run(JUDGE, JSON.stringify(payload), ctx));
  if (!VERDICTS.includes(verdict) || typeof reason !== "string") {
    throw new Error(`its answer cannot be read; ${INSTALL}`);
  }
  return { verdict, reason };
}

/** Tells a person; without one at the screen, on standard error. */
function tell(ctx, message, level = "info") {
  if (ctx.hasUI) ctx.ui.notify(message, level);
  else process.stderr.write(`${message}\n`);
}

const refuse = (reason) => ({ block: true, reason });

async function beforeTool(event, ctx) {
  if (shut !== null) return refuse(shut);
  const judges = listening("tool_call");
  if (judges.length === 0) return undefined;
  const { type, toolName, toolCallId, parentToolCallId, input } = event;
  let answer;
  try {
    answer = await ask({ type, toolName, toolCallId, parentToolCallId, input }, judges, ctx);
  } catch (error) {
    return refuse(
      `solvi-hook could not judge this call (${error.message}), so it is refused. ` +
        "Stop here and tell the user: `/hooks status` says more.",
    );
  }
  const { verdict, reason } = answer;
  if (verdict === "deny") return refuse(reason || "solvi-hook refuses this call.");
  if (verdict === "ask") {
    const question = reason || "solvi-hook asks about this call.";
    if (ctx.hasUI && (await ctx.ui.confirm("solvi-hook: let it run?", question)) === true) return undefined;
    const nobody = "A person must decide about this call, and did not allow it. Stop here and tell the user.";
    return refuse(`${nobody}\n${question}`);
  }
  if (reason) {
    if (verdict === "warn") warnings.set(toolCallId, reason);
    tell(ctx, reason, verdict === "warn" ? "warning" : "info");
  }
  return undefined;
}

async function afterTool(event, ctx) {
  const warning = warnings.get(event.toolCallId);
  warnings.delete(event.toolCallId);
  const texts = warning === undefined ? [] : [warning];
  const judges = listening("tool_result");
  if (shut === null && judges.length > 0) {
    const { type, toolName, toolCallId, input, isError } = event;
    try {
      const { verdict, reason } = await ask({ type, toolName, toolCallId, input, isError }, judges, ctx);
      if (verdict !== "allow" && reason) texts.push(reason);
    } catch (error) {
      // What is done is done: nothing can be refused here.
      tell(ctx, `solvi-hook could not check what was written: ${error.message}`, "warning");
    }
  }
  if (texts.length === 0) return undefined;
  return { content: [...event.content, ...texts.map((text) => ({ type: "text", text }))] };
}

async function beforeSettle(event, ctx) {
  const judges = listening("agent_before_settle");
  // Whoever made the agent go on is not done: this comes again.
  if (shut !== null || judges.length === 0 || event.outcome !== "completed" || event.continue) return undefined;
  const { type, outcome } = event;
  let answer;
  try {
    answer = await ask({ type, outcome, stop_hook_active: repairs > 0 }, judges, ctx);
  } catch (error) {
    answer = { verdict: "deny", reason: `solvi-hook could not check this turn: ${error.message}.` };
  }
  if (ctx.signal?.aborted) return undefined;
  const { verdict, reason } = answer;
  if (verdict === "allow" || verdict === "warn") {
    if (reason) tell(ctx, reason, verdict === "warn" ? "warning" : "info");
    return undefined;
  }
  const first = repairs === 0;
  repairs += 1;
  const content = first ? reason : `This turn is over and still refused:\n${reason}`;
  const entry = { type: "custom_message", customType: "solvi-hook.review", content, display: true };
  if (!first) tell(ctx, content, "error");
  // What other extensions have put there stays, and stays first.
  const entries = [...event.entries, entry];
  return first ? { entries, continue: true } : { entries };
}

async function beginRequest(event, ctx) {
  if (event.messageType !== "custom") repairs = 0;
  try {
    await learn(ctx);
  } catch {
    tell(ctx, `${shut}\n${trouble}`.trim(), "error");
  }
}

/** The person's control: `/hooks`, `/hooks enable NAME`, `disable NAME`, `reset`, `status`. */
async function control(words, ctx) {
  const [act = "", name = ""] = words.trim().split(/\s+/);
  try {
    if (act === "status") {
      const found = `${program(ctx)} is the program ${DIGEST === "" ? "on PATH" : "that was installed"}.`;
      tell(ctx, [found, shut ?? "", trouble].filter(Boolean).join("\n"));
      return;
    }
    if (act === "reset") {
      const sure = "Forget every choice? All judges are on then.";
      if (name !== "--yes" && !(ctx.hasUI && (await ctx.ui.confirm("solvi-hook", sure)) === true)) {
        tell(ctx, "nothing was changed; without a screen, say `/hooks reset --yes`", "warning");
        return;
      }
      await learn(ctx, ["reset"]);
    } else if (act === "enable" || act === "disable") {
      await learn(ctx, [act, name]);
    } else if (act !== "") {
      tell(ctx, "known are: enable NAME, disable NAME, reset, status", "warning");
      return;
    } else {
      await learn(ctx);
      const row = (judge) => `${judge.on ? "on " : "off"} ${judge.name}: ${judge.about}`;
      const judges = choices?.judges ?? [];
      const picked = ctx.hasUI ? await ctx.ui.select("solvi-hook: switch which judge?", judges.map(row)) : undefined;
      const judge = judges.find((judge) => row(judge) === picked);
      if (judge !== undefined) await learn(ctx, [judge.on ? "disable" : "enable", judge.name]);
    }
  } catch (error) {
    tell(ctx, `solvi-hook: ${error.message}\n${trouble}`.trim(), "error");
    // A wrong name changes no choice: what was known before is asked for again.
    if (act !== "reset") await learn(ctx).catch(() => {});
    return;
  }
  const judges = choices?.judges ?? [];
  tell(ctx, judges.map((judge) => `${judge.name} is ${judge.on ? "on" : "off"}`).join("\n"));
}

export default function (pi) {
  pi.on("session_start", async (_event, ctx) => {
    repairs = 0;
    warnings.clear();
    await learn(ctx).catch(() => {});
  });
  pi.on("before_agent_start", beginRequest);
  pi.on("tool_call", beforeTool);
  pi.on("tool_result", afterTool);
  pi.on("agent_before_settle", beforeSettle);
  pi.on("session_shutdown", () => {
    for (const child of children) child.cancel();
  });
  const command = { description: "solvi-hook: show and switch its judges", handler: control };
  pi.registerCommand("hooks", command);
  // Another extension may have that name.
  pi.registerCommand("solvi", command);
}
