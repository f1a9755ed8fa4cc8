import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { problem, ProblemError } from '../protocol/problem.ts'
import { Secret } from './read-settings.ts'
import { keptSecret } from './store/attestations.ts'
import { type Database, databaseFault } from './store/database.ts'

/** The access key of the embedded services, and the file that scripts can read it from. */
export interface EmbeddedAccessKey {
  readonly key: Secret
  /** Undefined where none could be written. */
  readonly path: string | undefined
}

/**
 * The access key of the embedded services, made up at the first start. It is the same for all
 * processes of a database (docs/design.md#several-processes), and stands in a file that only its owner
 * can read, so that scripts can use it and nobody has to print it.
 */
export async function embeddedAccessKey(
  database: Database,
  databaseUrl: string,
): Promise<EmbeddedAccessKey> {
  const path = embeddedAccessKeyPath(databaseUrl)
  if (database.dialect === 'sqlite') {
    try {
      return { key: new Secret(keyInFile(path, madeUp)), path }
    } catch (error) {
      const what = `Can't read or write the file ${path}, which has the access key of the embedded services.`
      const sentence = `${what} ${databaseFault(error, '')}`.trimEnd()
      throw new ProblemError(problem(500, 'access-key-unusable', 'Access key unusable', sentence), {
        cause: error,
      })
    }
  }
  // The folder is this process's own, and can be read-only.
  const key = await keptSecret(database, 'embedded-access-key', () => keyOf(path) ?? madeUp())
  try {
    if (keyOf(path) !== key) rmSync(path, { force: true })
    keyInFile(path, () => key)
    return { key: new Secret(key), path }
  } catch {
    return { key: new Secret(key), path: undefined }
  }
}

/** Where it is kept: in the folder of a database file, else in `.sightline`. */
export function embeddedAccessKeyPath(databaseUrl: string): string {
  const folder = databaseUrl.startsWith('file:')
    ? dirname(databaseUrl.slice('file:'.length))
    : '.sightline'
  return join(folder, 'embedded-access-key')
}

function madeUp(): string {
  return randomBytes(24).toString('base64url')
}

function keyOf(path: string): string | undefined {
  const key = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  return key === '' ? undefined : key
}

/** The key in a file; of two processes that make one at once, the first one's stays. */
function keyInFile(path: string, make: () => string): string {
  const known = keyOf(path)
  if (known !== undefined) return known
  const made = make()
  mkdirSync(dirname(path), { recursive: true })
  // An empty one has a mode of its own.
  rmSync(path, { force: true })
  try {
    writeFileSync(path, `${made}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (keyOf(path) === undefined) throw error
  }
  return keyOf(path) ?? made
}
