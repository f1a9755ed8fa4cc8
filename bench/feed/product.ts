import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A program of the built product that runs as a process of its own. */
export interface Running {
  readonly url: string
  readonly pid: number
  readonly stop: () => Promise<void>
}

/** Starts `dist/server/main.js` and waits for the address that it prints. */
export async function start(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<Running> {
  const child = spawn(process.execPath, ['dist/server/main.js', ...args], {
    env: { PATH: process.env.PATH, SIGHTLINE_DATABASE_URL: 'memory:', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const printed = /http:\/\/\S+/.exec(line)?.[0]
      if (printed !== undefined) resolve(printed)
    })
    child.once('exit', () => {
      reject(new Error('the product ended before it was ready'))
    })
  })
  return { url, pid: child.pid ?? 0, stop: () => end(child) }
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => {
      resolve()
    })
    child.kill('SIGKILL')
  })
}
