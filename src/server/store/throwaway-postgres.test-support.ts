import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { access, chown, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import pg from 'pg'
import { inject } from 'vitest'
import { freePort } from '../../free-port.test-support.ts'
import { openDatabase } from './open-database.ts'

const run = promisify(execFile)

/** A PostgreSQL cluster for one test run. */
export interface ThrowawayPostgres {
  /** The address of its first database, user and password included. */
  readonly url: string
  /** Makes another, empty database; answers its address. */
  readonly emptyDatabase: () => Promise<string>
  /** The same with the tables of this version in it, much sooner than migrations make them. */
  readonly migratedDatabase: () => Promise<string>
  /** Of the server, whose children have a connection each. */
  readonly pid: number
  /** Ends it and all that belongs to it at once, as a crash of the machine would. */
  readonly kill: () => Promise<void>
  /** Starts it again on what it has. */
  readonly start: () => Promise<void>
  /** Stops all of its processes in their tracks; `thaw` lets them go on. */
  readonly freeze: () => Promise<void>
  readonly thaw: () => Promise<void>
  /** Ends the server and removes its files. */
  readonly stop: () => Promise<void>
}

/** The folder of PostgreSQL's programs as Debian installs them; undefined where there is none. */
export async function findPostgres(): Promise<string | undefined> {
  const versions = await readdir('/usr/lib/postgresql').catch(() => [])
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0]
  return newest === undefined ? undefined : `/usr/lib/postgresql/${newest}/bin`
}

/** Makes a cluster in a temporary folder and starts it on a free port of the loopback interface. */
export async function startPostgres(programs: string): Promise<ThrowawayPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-postgres-'))
  const owner = await unprivileged()
  if (owner !== undefined) await chown(folder, owner.uid, owner.gid)
  // Stories and benchmarks, which run without Vitest, make one each.
  const shared = process.env.VITEST === undefined ? folder : inject('sharedFolder')
  await run('cp', ['-R', await preparedCluster(programs, shared), join(folder, 'data')], owner)
  return serve(programs, folder, owner)
}

type Owner = { readonly uid: number; readonly gid: number } | undefined

/** The name of a database in each cluster that has the tables of this version, and nothing in them. */
const migrated = 'migrated'

/**
 * The data of a cluster that none uses itself: making one takes longer than most tests, copying it
 * does not. The first file of a run that needs one makes it.
 */
async function preparedCluster(programs: string, shared: string): Promise<string> {
  const prepared = join(shared, 'postgres')
  const data = join(prepared, 'data')
  const isThere = await access(prepared).then(
    () => true,
    () => false,
  )
  if (isThere) return data
  const folder = await mkdtemp(join(shared, 'sightline-postgres-'))
  const owner = await unprivileged()
  if (owner !== undefined) await chown(folder, owner.uid, owner.gid)
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, 'throw-away')
  // The locale of whoever runs the tests may not be installed.
  const text = ['--no-locale', '--encoding=UTF8']
  const setup = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`, ...text, '--no-sync']
  await run(join(programs, 'initdb'), ['-D', join(folder, 'data'), '-U', 'tester', ...setup], owner)
  const cluster = await serve(programs, folder, owner)
  await (await openDatabase(await cluster.create(migrated))).close()
  await cluster.end()
  await rename(folder, prepared).catch(async (error: unknown) => {
    // Another process has made one meanwhile.
    await access(prepared).catch(() => {
      throw error
    })
  })
  return data
}

/** Starts a cluster on its data in `folder`. */
async function serve(programs: string, folder: string, owner: Owner) {
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=']
  const boot = async (): Promise<{ server: ChildProcess; ended: Promise<void> }> => {
    const server = spawn(
      join(programs, 'postgres'),
      ['-D', join(folder, 'data'), '-F', ...settings.flatMap((setting) => ['-c', setting])],
      { ...owner, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const ended = new Promise<void>((resolve) =>
      server.once('exit', () => {
        resolve()
      }),
    )
    const log = createInterface(server.stderr)
    const said: string[] = []
    await new Promise<void>((resolve, reject) => {
      log.on('line', (line) => {
        if (said.length < 50) said.push(line)
        if (line.includes('ready to accept connections')) resolve()
      })
      // Once its output has been read as well.
      server.once('close', () => {
        reject(new Error(`PostgreSQL ended at its start:\n${said.join('\n')}`))
      })
    })
    return { server, ended }
  }
  let running = await boot()

  /** The server and the process that it has for each connection. */
  const signalAll = async (signal: NodeJS.Signals): Promise<void> => {
    const parent = running.server.pid
    if (parent === undefined) return
    const children = await run('ps', ['-o', 'pid=', '--ppid', String(parent)]).catch(() => ({
      stdout: '',
    }))
    for (const pid of [parent, ...children.stdout.split('\n').map(Number).filter(Boolean)]) {
      try {
        process.kill(pid, signal)
      } catch {
        // It ended by itself.
      }
    }
  }
  const url = `postgres://tester:throw-away@127.0.0.1:${port}/postgres`
  const create = async (name: string, like = 'template1'): Promise<string> => {
    const client = new pg.Client(url)
    await client.connect()
    await client.query(`create database ${name} template ${like}`)
    await client.end()
    return Object.assign(new URL(url), { pathname: `/${name}` }).href
  }
  const end = async (): Promise<void> => {
    // SIGINT is PostgreSQL's fast shutdown: it does not wait for clients.
    running.server.kill('SIGINT')
    await running.ended
  }
  let made = 0
  return {
    url,
    create,
    end,
    emptyDatabase: () => create(`made_${(made += 1)}`),
    migratedDatabase: () => create(`made_${(made += 1)}`, migrated),
    get pid() {
      return running.server.pid ?? 0
    },
    kill: async () => {
      await signalAll('SIGKILL')
      await running.ended
    },
    start: async () => {
      running = await boot()
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    stop: async () => {
      await end()
      await rm(folder, { recursive: true })
    },
  }
}

/** PostgreSQL refuses to run as root: the user that Debian made for it takes over. */
async function unprivileged(): Promise<Owner> {
  if (userInfo().uid !== 0) return undefined
  const [uid, gid] = await Promise.all([
    run('id', ['-u', 'postgres']),
    run('id', ['-g', 'postgres']),
  ])
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}
