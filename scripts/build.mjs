/**
 * Builds the client (dist/client) and the server (dist/server), or only what is missing or older
 * than its sources: `node scripts/build.mjs [--if-needed]`.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = ['src', 'public', 'package-lock.json', 'vite.config.ts', 'vite.server.config.ts']
const outputs = ['dist/client/index.html', 'dist/server/main.js']

/** Builds both unless they are newer than everything they are made from. */
export async function buildIfNeeded(say = () => {}) {
  if (!isStale()) return
  say('Building the dashboard (only at the first start and after changes)…')
  await build()
}

async function build() {
  const vite = await import('vite').catch(() => undefined)
  if (vite === undefined) {
    throw new Error(
      'The build tools are missing: run "npm ci" without --omit=dev and without NODE_ENV=production.',
    )
  }
  const logLevel = process.env.CI ? 'warn' : 'error'
  await vite.build({ root: undefined, configFile: join(root, 'vite.config.ts'), logLevel })
  await vite.build({ configFile: join(root, 'vite.server.config.ts'), logLevel })
}

function isStale() {
  const built = outputs.map((path) => modified(join(root, path)))
  const oldest = Math.min(...built)
  return sources.some((path) => newest(join(root, path)) > oldest)
}

function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return 0
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(
    stat.mtimeMs,
    ...readdirSync(path)
      .filter((name) => !name.includes('.test.'))
      .map((name) => newest(join(path, name))),
  )
}

function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await (process.argv.includes('--if-needed') ? buildIfNeeded(console.log) : build())
}
