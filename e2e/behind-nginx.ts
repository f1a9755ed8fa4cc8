import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../src/free-port.test-support.ts'
import {
  findPostgres,
  startPostgres,
  type ThrowawayPostgres,
} from '../src/server/store/throwaway-postgres.test-support.ts'
import { type Person, signInWithTokens } from './people.ts'

/** What is not installed here of what this takes, in words; undefined where all of it is. */
export async function missingPrograms(): Promise<string | undefined> {
  const lacks = [
    ...((await findPostgres()) === undefined ? ['PostgreSQL'] : []),
    ...(spawnSync('nginx', ['-v']).status === 0 ? [] : ['nginx']),
  ]
  return lacks.length === 0 ? undefined : `LEFT OUT: ${lacks.join(' and ')} not found`
}

/** Several processes of the built product on one PostgreSQL database, behind nginx. */
export interface BehindNginx {
  /** Where people open it. */
  readonly url: string
  /** The address of each process, and of its operations listener. */
  readonly processes: readonly ProductProcess[]
  readonly databaseUrl: string
  readonly database: ThrowawayPostgres
  readonly stop: () => Promise<void>
}

/** One of them. */
export interface ProductProcess {
  readonly url: string
  readonly opsUrl: string
  /** While it runs. */
  readonly pid: () => number | undefined
  /** Starts it, and resolves when it says that it runs. */
  readonly start: () => Promise<void>
  /** Sends a signal and resolves with its exit code once it has ended; null where it was killed. */
  readonly end: (signal?: NodeJS.Signals) => Promise<number | null>
  readonly output: () => string
}

/**
 * Starts a throw-away PostgreSQL, `count` processes on an empty database of it, all at once, and
 * Debian's nginx in front, with the locations file that is made for it (deploy/nginx).
 */
export async function startBehindNginx(options: {
  readonly count: number
  readonly people: readonly Person[]
  readonly settings?: Readonly<Record<string, string>>
}): Promise<BehindNginx> {
  const folder = mkdtempSync(join(tmpdir(), 'sightline-behind-nginx-'))
  const cluster = await startPostgres((await findPostgres()) ?? '')
  const databaseUrl = await cluster.emptyDatabase()
  const port = await freePort()
  const ports: number[] = []
  while (ports.length < 2 * options.count) ports.push(await freePort())
  const common = {
    PATH: process.env.PATH,
    SIGHTLINE_DATABASE_URL: databaseUrl,
    ...signInWithTokens(join(folder, 'sightline.json'), options.people),
    SIGHTLINE_TRUSTED_PROXIES: '127.0.0.1',
    SIGHTLINE_PUBLIC_URL: `http://127.0.0.1:${port}`,
    ...options.settings,
  }
  const processes = Array.from({ length: options.count }, (_, index) =>
    productProcess(ports[2 * index] ?? 0, ports[2 * index + 1] ?? 0, common, folder),
  )
  await Promise.all(processes.map((one) => one.start()))
  const nginx = await startNginx(
    folder,
    port,
    processes.map(({ url }) => new URL(url).host),
  )
  return {
    url: `http://127.0.0.1:${port}`,
    processes,
    databaseUrl,
    database: cluster,
    stop: async () => {
      await ended(nginx, 'SIGTERM')
      await Promise.all(processes.map((one) => one.end('SIGINT')))
      await cluster.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function productProcess(
  port: number,
  opsPort: number,
  settings: NodeJS.ProcessEnv,
  folder: string,
): ProductProcess {
  let output = ''
  let child: ChildProcess | undefined
  return {
    url: `http://127.0.0.1:${port}`,
    opsUrl: `http://127.0.0.1:${opsPort}`,
    output: () => output,
    pid: () => child?.pid,
    start: async () => {
      const started = spawn(process.execPath, [join(process.cwd(), 'dist/server/main.js')], {
        cwd: folder,
        env: { ...settings, SIGHTLINE_PORT: String(port), SIGHTLINE_OPS_PORT: String(opsPort) },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child = started
      await new Promise<void>((resolve, reject) => {
        for (const stream of [started.stdout, started.stderr]) {
          createInterface({ input: stream }).on('line', (line) => {
            output += `${line}\n`
            if (line.startsWith('Sightline is running')) resolve()
          })
        }
        started.once('close', (code) => {
          reject(new Error(`the product ended with ${String(code)}:\n${output}`))
        })
      })
    },
    end: async (signal = 'SIGTERM') => (child === undefined ? 0 : ended(child, signal)),
  }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal)
    await once(child, 'exit')
  }
  return child.exitCode
}

async function startNginx(
  folder: string,
  port: number,
  servers: readonly string[],
): Promise<ChildProcess> {
  const locations = readFileSync('deploy/nginx/sightline-locations.conf', 'utf8')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const path = join(folder, 'nginx.conf')
  writeFileSync(
    path,
    `daemon off;
    ${userInfo().uid === 0 ? 'user root root;' : ''}
    pid ${folder}/nginx.pid;
    error_log stderr notice;
    worker_processes 1;
    events { worker_connections 8192; }
    http {
      access_log off;
      ${temporary.join('\n')}
      upstream sightline {
        least_conn;
        ${servers.map((server) => `server ${server} max_fails=0;`).join('\n')}
        keepalive 64;
        keepalive_timeout 60s;
      }
      server {
        listen 127.0.0.1:${port};
        ${locations}
      }
    }`,
  )
  const nginx = spawn('nginx', ['-p', folder, '-c', path], { stdio: ['ignore', 'ignore', 'pipe'] })
  await new Promise<void>((resolve, reject) => {
    let said = ''
    createInterface({ input: nginx.stderr }).on('line', (line) => {
      said += `${line}\n`
      if (line.includes('start worker process')) resolve()
    })
    nginx.once('close', () => {
      reject(new Error(`nginx ended at its start:\n${said}`))
    })
  })
  return nginx
}
