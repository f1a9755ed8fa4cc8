import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../src/server/config.ts'

const root = join(import.meta.dirname, '..')

/** The text of a file of the repository, by its path from the root. */
export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

const configurations: Readonly<Record<string, string>> = {
  none: '',
  tokens: `users: [{ name: ann, role: admin, tokens: [{ sha256: ${'a'.repeat(64)}, prefix: slt_Ab12cd, created: 2026-01-01T00:00:00Z, expires: 2026-12-01T00:00:00Z }] }]`,
}

/**
 * What Sightline says at its start to an environment: nothing, or its mistakes. Secrets are read from
 * files that would hold a good value; `configuration` is the text of the file, where there is one.
 */
export function startMistakes(
  environment: Readonly<Record<string, string>>,
  configuration = configurations[environment.SIGHTLINE_SIGN_IN ?? 'none'] ?? '',
): readonly string[] {
  const read = readConfig({
    environment,
    flags: [],
    readFile: (path) => {
      if (path.endsWith('.yaml')) return configuration
      return path.endsWith('database-url')
        ? 'postgres://sightline:password@postgres/sightline'
        : 'a'.repeat(32)
    },
  })
  return read.ok ? [] : read.mistakes
}

/** How long Sightline may take to end after its delay, seconds, before it gives up. */
export function longestEnd(): number {
  const written = /^const longestEndMs = ([\d_]+)$/m.exec(textOf('src/server/main.ts'))?.[1]
  return Number(written?.replaceAll('_', '')) / 1000
}
