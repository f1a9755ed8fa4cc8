/**
 * Sums what a browser loads before the first paint of the feed and of a wall: the static imports of
 * the entry and of the page, gzipped, from the manifest of the build. Fails over the budget.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const client = fileURLToPath(new URL('../dist/client', import.meta.url))
const manifest = JSON.parse(readFileSync(join(client, '.vite/manifest.json'), 'utf8'))
const budget = { kilobytes: 150, requests: 25 }
const app = 'src/web/app/'
const features = 'src/web/features/'
/** What stands around pages that request (web/data/core/queries.tsx) and its library: shared chunks. */
const withQueries = Object.keys(manifest).filter((key) => manifest[key].name === 'queries')
if (withQueries.length === 0) throw new Error('the build has no chunk named “queries”')
/** What is loaded together: of a page the shell around it, too (web/app/pages.ts). */
const loads = [
  ['entry', []],
  ['feed', [`${features}feed/feed-page.tsx`, `${app}shell.tsx`], budget],
  ['wall', [`${features}wall/wall-page.tsx`, ...withQueries], budget],
  // It comes while the wall's configuration is fetched; without this no tile is drawn.
  [
    'wall with tiles',
    [`${features}wall/wall-screen.tsx`, `${features}wall/wall-page.tsx`, ...withQueries],
  ],
  ...Object.keys(manifest)
    .filter((key) => /(?<!feed|wall)-page\.tsx$/.test(key))
    .map((key) => [key.replace(features, ''), [key, `${app}shell.tsx`, ...withQueries]]),
]
/** The document, its first two scripts, the typeface and the icon. */
const others = 5

function closure(name, seen = new Set()) {
  if (seen.has(name)) return seen
  seen.add(name)
  for (const next of manifest[name].imports ?? []) closure(next, seen)
  return seen
}

function gzipped(file) {
  return gzipSync(readFileSync(join(client, file))).length
}

const entry = closure('index.html')
let isOver = false
for (const [name, parts, limit] of loads) {
  const all = new Set(entry)
  for (const part of parts) closure(part, all)
  const chunks = [...all]
  const scripts = new Set(chunks.map((chunk) => manifest[chunk].file))
  const styles = new Set(chunks.flatMap((chunk) => manifest[chunk].css ?? []))
  const kilobytes = [...scripts].reduce((sum, file) => sum + gzipped(file), 0) / 1000
  const requests = scripts.size + styles.size + others
  const fails = limit !== undefined && (kilobytes > limit.kilobytes || requests > limit.requests)
  isOver ||= fails
  console.log(
    `${fails ? 'OVER ' : ''}${name}: ${kilobytes.toFixed(1)} kB of scripts, ${requests} requests`,
  )
}
if (isOver) {
  console.error(
    `A first load has at most ${budget.kilobytes} kB of scripts in ${budget.requests} requests.`,
  )
  process.exitCode = 1
}
