import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** One file of the built client, held in memory in every encoding it is served in. */
export interface StaticFile {
  readonly type: string
  readonly etag: string
  /** Its name changes with its content, so that it may be kept for ever. */
  readonly hashed: boolean
  readonly identity: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer> | null
  readonly brotli: Uint8Array<ArrayBuffer> | null
}

/**
 * The files below a directory by their address (`/assets/main-1a2b3c4d.js`), read and compressed
 * once: what appears there later is not served. Hidden files, source maps, links and files of
 * unknown types are left out. Throws what reading throws, such as ENOENT for a missing directory.
 */
export function readStaticFiles(root: string): ReadonlyMap<string, StaticFile> {
  const files = new Map<string, StaticFile>()
  // Walked here, as the recursive reading of newer versions of Node follows links to folders:
  // a link is neither a file nor a folder, so that none can lead out of the directory.
  const folders = [root]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) folders.push(path)
      const address = `/${relative(root, path).split(sep).join('/')}`
      const type = types[extname(entry.name).toLowerCase()]
      if (entry.isFile() && type !== undefined && !address.includes('/.')) {
        files.set(address, staticFile(address, type, readFileSync(path)))
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

const compressible = /^(?:text\/|application\/|image\/svg)/

function staticFile(address: string, type: string, content: Buffer): StaticFile {
  const small = (compressed: Buffer): Uint8Array<ArrayBuffer> | null =>
    compressed.length < content.length ? new Uint8Array(compressed) : null
  const compress = compressible.test(type)
  return {
    type,
    etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
    hashed: /^\/assets\/.*-[\w-]{8}\.\w+$/.test(address),
    identity: new Uint8Array(content),
    gzip: compress ? small(gzipSync(content)) : null,
    brotli: compress
      ? small(
          brotliCompressSync(content, {
            // The highest quality takes ten times as long for a few percent.
            params: { [constants.BROTLI_PARAM_QUALITY]: 9 },
          }),
        )
      : null,
  }
}
