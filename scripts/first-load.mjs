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
/** The goal is 150 kB: react-dom, zod and Mantine's provider are most of what is left. */
const budget = { kilobytes: 235, requests: 25 }
const pages = ['feed/feed-page.tsx', 'wall/wall-page.tsx']
/** The document, its first script, the typeface and the icon. */
const others = 4

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
for (const page of [undefined, ...Object.keys(manifest).filter((key) => /-page\.tsx$/.test(key))]) {
  const chunks = [...(page === undefined ? entry : closure(page, new Set(entry)))]
  const scripts = new Set(chunks.map((name) => manifest[name].file))
  const styles = new Set(chunks.flatMap((name) => manifest[name].css ?? []))
  const kilobytes = [...scripts].reduce((sum, file) => sum + gzipped(file), 0) / 1000
  const requests = scripts.size + styles.size + others
  const isGated = pages.some((name) => page?.endsWith(name))
  const fails = isGated && (kilobytes > budget.kilobytes || requests > budget.requests)
  isOver ||= fails
  console.log(
    `${fails ? 'OVER ' : ''}${page ?? 'index.html'}: ${kilobytes.toFixed(1)} kB of scripts, ${requests} requests`,
  )
}
if (isOver) {
  console.error(
    `A first load has at most ${budget.kilobytes} kB of scripts in ${budget.requests} requests.`,
  )
  process.exitCode = 1
}
