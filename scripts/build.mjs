/**
 * Builds the client (dist/client), the server (dist/server) and the command line tool (dist/cli), or
 * only what is missing or older than its sources: `node scripts/build.mjs [--if-needed]`.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = [
  ...['src', 'public', 'index.html', 'package-lock.json'],
  ...['vite.config.ts', 'scripts/page-chunks.ts'],
]
const outputs = ['dist/client/index.html', 'dist/server/main.js']

const cliSources = [
  ...['cli', 'protocol', 'search', 'facts', 'policy', 'attestation'].map((name) => `src/${name}`),
  ...['package.json', 'package-lock.json', 'vite.config.ts'],
]
const cliOutputs = ['dist/cli/main.js']

/** Builds client and server unless they are newer than everything they are made from. */
export async function buildIfNeeded(say = () => {}) {
  if (!isStale(sources, outputs)) return
  say('Building the dashboard (only at the first start and after changes)…')
  await build(['client', 'server'])
}

/** The same for the command line tool alone, which takes half a second. */
export async function buildCliIfNeeded() {
  if (isStale(cliSources, cliOutputs)) await build(['cli'])
}

async function build(modes) {
  const vite = await import('vite').catch(() => undefined)
  if (vite === undefined) {
    throw new Error(
      'The build tools are missing: run "npm ci" without --omit=dev and without NODE_ENV=production.',
    )
  }
  const logLevel = process.env.CI ? 'warn' : 'error'
  for (const mode of modes) {
    await vite.build({ configFile: join(root, 'vite.config.ts'), mode, logLevel })
  }
}

function isStale(sources, outputs) {
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
  if (process.argv.includes('--if-needed')) {
    await buildIfNeeded(console.log)
    await buildCliIfNeeded()
  } else await build(['client', 'server', 'cli'])
}
