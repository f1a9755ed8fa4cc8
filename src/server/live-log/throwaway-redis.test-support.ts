import { type ChildProcess, spawn } from 'node:child_process'
import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../../free-port.test-support.ts'

/** A Redis for one test run, with a password, that writes what it holds to a file each second. */
export interface ThrowawayRedis {
  /** The address of its first database, user and password included. */
  readonly url: string
  /** Another, empty one of its sixteen databases. */
  readonly emptyDatabase: () => Promise<string>
  readonly pid: number
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  readonly freeze: () => Promise<void>
  readonly thaw: () => Promise<void>
  /** Ends the server and removes its files. */
  readonly stop: () => Promise<void>
}

/** The program as Debian installs it (Redis or its continuation Valkey); undefined if there is none. */
export async function findRedis(): Promise<string | undefined> {
  for (const program of ['/usr/bin/redis-server', '/usr/bin/valkey-server']) {
    const isThere = await access(program).then(
      () => true,
      () => false,
    )
    if (isThere) return program
  }
  return undefined
}

/** Starts it in a temporary folder on a free port of the loopback interface. */
export async function startRedis(program: string): Promise<ThrowawayRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-redis-'))
  const port = await freePort()
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'yes',
    appendfsync: 'everysec',
    requirepass: 'throw-away',
  }
  const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  const boot = async (): Promise<{ server: ChildProcess; ended: Promise<void> }> => {
    const server = spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'] })
    const ended = new Promise<void>((resolve) =>
      server.once('exit', () => {
        resolve()
      }),
    )
    const log = createInterface(server.stdout)
    await new Promise<void>((resolve, reject) => {
      log.on('line', (line) => {
        if (line.includes('Ready to accept connections')) resolve()
      })
      server.once('exit', () => {
        reject(new Error('Redis ended at its start'))
      })
    })
    return { server, ended }
  }
  let running = await boot()
  const signal = (name: NodeJS.Signals): Promise<void> => {
    running.server.kill(name)
    return Promise.resolve()
  }

  let given = 0
  const url = `redis://default:throw-away@127.0.0.1:${port}`
  return {
    url,
    emptyDatabase: () => Promise.resolve(`${url}/${(given += 1)}`),
    get pid() {
      return running.server.pid ?? 0
    },
    kill: async () => {
      await signal('SIGKILL')
      await running.ended
    },
    start: async () => {
      running = await boot()
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    stop: async () => {
      await signal('SIGKILL')
      await running.ended
      await rm(folder, { recursive: true })
    },
  }
}
