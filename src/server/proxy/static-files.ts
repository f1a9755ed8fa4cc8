import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import type { StaticFile } from './pages.ts'

/**
 * The files below a directory by their address (`/assets/main-1a2b3c4d.js`), read once: what appears
 * there later is not served. Of a file `x.js` the build left compressed copies, `x.js.br` and
 * `x.js.gz`. Hidden files, source maps, links and files of
 * unknown types are left out. Throws what reading throws, such as ENOENT for a missing directory.
 */
export function readStaticFiles(root: string): ReadonlyMap<string, StaticFile> {
  const files = new Map<string, StaticFile>()
  // Walked here, as the recursive reading of newer versions of Node follows links to folders:
  // a link is neither a file nor a folder, so that none can lead out of the directory.
  const folders = [root]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = readdirSync(folder, { withFileTypes: true })
    const names = new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name))
    for (const { name } of entries.filter((entry) => entry.isDirectory())) {
      folders.push(join(folder, name))
    }
    for (const name of names) {
      const address = `/${relative(root, join(folder, name)).split(sep).join('/')}`
      const type = types[extname(name).toLowerCase()]
      if (type !== undefined && !address.includes('/.')) {
        files.set(address, readStaticFile(address, type, folder, name, names))
      }
    }
  }
  return files
}

/** No `.map`: sources are not shipped. */
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.mp3': 'audio/mpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

function readStaticFile(
  address: string,
  type: string,
  folder: string,
  name: string,
  names: ReadonlySet<string>,
): StaticFile {
  const read = (file: string): Uint8Array<ArrayBuffer> =>
    new Uint8Array(readFileSync(join(folder, file)))
  const copy = (ending: string): Uint8Array<ArrayBuffer> | null =>
    names.has(name + ending) ? read(name + ending) : null
  const identity = read(name)
  return {
    type,
    etag: `"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`,
    // The build names all that it makes by its content (vite.config.ts).
    hashed: address.startsWith('/assets/'),
    identity,
    gzip: copy('.gz'),
    brotli: copy('.br'),
  }
}
