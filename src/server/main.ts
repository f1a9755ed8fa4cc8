import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import pino from 'pino'
import { version } from '../../package.json'
import type { Clock } from '../protocol/clock.ts'
import { ProblemError } from '../protocol/problem.ts'
import { statusHeadline } from '../protocol/status-report.ts'
import { type App, startApp } from './app.ts'
import { type Config, readConfig } from './config.ts'
import { embeddedAccessKey } from './embedded-access-key.ts'
import { startEmbeddedServices } from './embedded-services.ts'
import { statusLines } from './proxy/status/status-lines.ts'
import { settingsHelp } from './read-settings.ts'
import { checkAll } from './server-check.ts'
import { openDatabase } from './store/open-database.ts'
import { joinProcesses } from './store/process-lock.ts'

// The only file that touches the process, its ports and the real clock (src/README.md, idea 1).

const clock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => {
      clearTimeout(timer)
    }
  },
}
const random = (): number => Math.random()
/** What can't be printed, on a full disk or as nobody reads it any more, is lost; it fails no request and ends nothing. */
const ignored = (): void => undefined
for (const stream of [process.stdout, process.stderr]) stream.on('error', ignored)
const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const [first, ...rest] = process.argv.slice(2)
const embeddedAlone = first === 'embedded'
const given = embeddedAlone ? takeImports(rest) : { flags: process.argv.slice(2), imports: [] }
const { imports } = given
const isCheck = !embeddedAlone && given.flags.includes('--check')
const flags = isCheck ? given.flags.filter((flag) => flag !== '--check') : given.flags

if (flags.includes('--help')) say(settingsHelp())
else if (flags.includes('--version')) say(`sightline ${version}`)
else await run()

async function run(): Promise<void> {
  const read = readConfig({
    environment: process.env,
    flags,
    readFile: (path) => readFileSync(path, 'utf8'),
  })
  if (!read.ok) {
    end(
      [
        "Sightline can't start because of its configuration:",
        ...read.mistakes.map((line) => `  - ${line}`),
      ],
      2,
    )
  }
  try {
    if (isCheck) {
      await runCheck(read.config)
      return
    }
    const logger = loggerOf(read.config)
    endOnFault(logger)
    if (embeddedAlone) endOnSignal(await runEmbedded(read.config, logger), 0)
    else endOnSignal(await runProduct(read.config, logger), read.config.shutdownDelayMs)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    end([error.message], 1)
  }
}

async function runProduct(config: Config, logger: pino.Logger): Promise<App> {
  const app = await startApp({
    config,
    clock,
    random,
    logger,
    version,
    staticRoot: fileURLToPath(new URL('../client', import.meta.url)),
  })
  say(`Sightline is running at ${app.url}`)
  const { publicUrl } = config.signIn
  if (publicUrl !== undefined) say(`People open it at ${publicUrl.href}`)
  if (app.opsUrl !== undefined) say(`Health checks and metrics are at ${app.opsUrl}`)
  for (const line of app.warnings) say(line)
  for (const server of app.servers) void server.then(say)
  return app
}

/** `--check`: all that is known of what is configured; the status is 0 if all of it can be used. */
async function runCheck(config: Config): Promise<void> {
  const report = await checkAll(config, { clock, random, version })
  for (const line of statusLines(report)) say(line)
  const { health } = statusHeadline(report)
  process.exitCode = health === 'ok' || health === 'warning' ? 0 : 1
}

async function runEmbedded(
  config: Config,
  logger: pino.Logger,
): Promise<{ readonly close: () => Promise<void> }> {
  const databaseUrl = config.databaseUrl.reveal()
  const database = await openDatabase(databaseUrl)
  const own = config.embedded.accessKey
  const { key, path } =
    own === undefined
      ? await embeddedAccessKey(database, databaseUrl)
      : { key: own, path: undefined }
  const services = await startEmbeddedServices({
    settings: config.embedded,
    host: config.host,
    port: config.embedded.port ?? 8090,
    accessKey: key,
    database,
    first: await joinProcesses(database, clock),
    clock,
    random,
    logger,
    imports,
    imported: say,
  })
  const url = services.url.origin
  say(`The embedded services are running at ${url}`)
  if (path !== undefined) say(`Their access key is in ${path}`)
  return {
    close: async () => {
      await services.close()
      await database.close()
    },
  }
}

function loggerOf(config: Config): pino.Logger {
  const lines = pino.destination({ fd: 2, sync: true })
  lines.on('error', ignored)
  // What Node can't read as a URL is a property of the error, whole, with any password in it.
  return pino({ level: config.logLevel, redact: ['err.input'] }, lines)
}

/**
 * The first signal drains, the second one ends at once. SIGTERM, which service managers send, leaves
 * balancers `acceptMs` to look elsewhere; whoever presses Ctrl+C waits for nobody.
 */
function endOnSignal(app: Pick<App, 'close'>, acceptMs: number): void {
  let ending = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (ending) process.exit(1)
      ending = true
      const delayMs = signal === 'SIGTERM' ? acceptMs : 0
      setTimeout(() => {
        end([`Sightline didn't shut down within ${(delayMs + longestEndMs) / 1000} s.`], 1)
      }, delayMs + longestEndMs)
      void app.close(delayMs).then(
        () => process.exit(0),
        (error: unknown) => {
          end([`Sightline didn't shut down cleanly: ${String(error)}`], 1)
        },
      )
    })
  }
}

/** Service managers kill after 30 s; 5 of them are for balancers. */
const longestEndMs = 24_000

/** What nobody has caught leaves a state that nobody knows: it is said, and a service manager starts anew. */
function endOnFault(logger: pino.Logger): void {
  for (const fault of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(fault, (error: unknown) => {
      logger.fatal({ err: error }, 'Sightline stopped because of an unexpected fault')
      process.exit(1)
    })
  }
}

function end(lines: readonly string[], code: number): never {
  process.stderr.write(`${lines.join('\n')}\n`)
  process.exit(code)
}

/** Takes `--import <file>` out of the flags: it is an order, not a setting. */
function takeImports(given: readonly string[]): { flags: string[]; imports: string[] } {
  const left: string[] = []
  const files: string[] = []
  for (let at = 0; at < given.length; at += 1) {
    const flag = given[at] ?? ''
    const next = given[at + 1]
    if (flag.startsWith('--import=')) files.push(flag.slice('--import='.length))
    else if (flag === '--import') {
      if (next === undefined || next.startsWith('--'))
        end(['--import needs the path of a recording, such as recording.jsonl.'], 2)
      files.push(next)
      at += 1
    } else left.push(flag)
  }
  return { flags: left, imports: files }
}
