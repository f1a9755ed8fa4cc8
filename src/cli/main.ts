import { appendFileSync, readFileSync } from 'node:fs'
import { version } from '../../package.json'
import type { Clock } from '../protocol/clock.ts'
import { exportDisk } from './export/export-output.ts'
import { openReportFile } from './report-file.ts'
import { run } from './run.ts'
import { fetchWhole } from './server-request.ts'

// The only file here that touches the process, the network and the real clock.

const clock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => {
      clearTimeout(timer)
    }
  },
}

const interrupted = new AbortController()
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  process.on(signal, () => {
    // A second one ends at once, whatever is under way.
    if (interrupted.signal.aborted) process.exit(code)
    interrupted.abort()
  })
}
/** Whoever reads the report may stop in the middle of it, as `head` does. */
function hasLeft(error: Error): boolean {
  return 'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED')
}
function codeIn(error: Error): string {
  return 'code' in error ? ` (${String(error.code)})` : ''
}
// Each write says for itself what went wrong.
process.stdout.on('error', () => undefined)

const { NO_COLOR, TERM } = process.env
process.exitCode = await run({
  words: process.argv.slice(2),
  environment: process.env,
  readFile: (path) => readFileSync(path, 'utf8'),
  openReport: openReportFile,
  appendFile: (path, text) => {
    appendFileSync(path, text)
  },
  fetch: fetchWhole,
  clock,
  random: () => Math.random(),
  print: (text) => {
    process.stdout.write(text, (error) => {
      if (!error || hasLeft(error)) return
      process.stderr.write(`Can't write to standard output${codeIn(error)}.\n`)
      process.on('exit', () => (process.exitCode = 2))
    })
  },
  printAll: (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => {
        if (error && !hasLeft(error)) reject(error)
        else resolve(!error)
      })
    }),
  disk: exportDisk,
  log: (line) => {
    process.stderr.write(`${line}\n`)
  },
  isColourTerminal: process.stdout.isTTY && !NO_COLOR && TERM !== 'dumb',
  signal: interrupted.signal,
  version,
})
