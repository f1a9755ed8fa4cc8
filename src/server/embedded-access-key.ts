import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Secret } from './secret.ts'

/**
 * The access key of the embedded services: made up at the first start and kept beside the database
 * in a file that only its owner can read, so that scripts can use it and nobody has to print it.
 */
export function embeddedAccessKey(databaseUrl: string): Secret {
  const path = embeddedAccessKeyPath(databaseUrl)
  const known = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  if (known !== '') return new Secret(known)
  const made = randomBytes(24).toString('base64url')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${made}\n`, { mode: 0o600 })
  // The mode of writeFileSync is not applied to a file that was there, empty, before.
  chmodSync(path, 0o600)
  return new Secret(made)
}

/** Where it is kept: in the folder of a database file, else in `.sightline`. */
export function embeddedAccessKeyPath(databaseUrl: string): string {
  const folder = databaseUrl.startsWith('file:')
    ? dirname(databaseUrl.slice('file:'.length))
    : '.sightline'
  return join(folder, 'embedded-access-key')
}
