import { randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import * as z from 'zod'
import { problem, ProblemError } from '../../protocol/problem.ts'
import { commonHeaders, pagePolicy } from './security-headers.ts'
import type { ProxyEnv } from './sessions.ts'

/** What stands in the built page where each answer's own nonce goes. */
const noncePlaceholder = '__CSP_NONCE__'
const indexAddress = '/index.html'
/** What stands in the built page where the files of the page at an address are named. */
const preloadPlaceholder = '<!-- preloads -->'
/** What the build leaves of them (vite.config.ts); none of it is needed. */
const preloadsAddress = '/preloads.json'
/** The service worker of walls: its own policy decides whether it may fetch what it keeps. */
const workerAddress = '/wall-worker.js'

/**
 * Serves the dashboard: a file of the built client at its own address, and the page itself at every
 * other address that a browser may open as a page, with a nonce of its own in its policy. Throws a
 * ProblemError 404 for everything else, also for what looks like a file but is none.
 */
export function pages(files: ReadonlyMap<string, StaticFile>): (c: Context<ProxyEnv>) => Response {
  const index = files.get(indexAddress)
  const page = index === undefined ? null : new TextDecoder().decode(index.identity)
  const preloads = readPreloads(files.get(preloadsAddress))
  return (c) => {
    const { path } = c.req
    const file = path === indexAddress || path === preloadsAddress ? undefined : files.get(path)
    if (file !== undefined) {
      c.set('route', 'static')
      return fileResponse(file, c.req.raw.headers, path === workerAddress)
    }
    if (page === null || !isPage(path, c.req.header('accept'))) throw new ProblemError(nothingThere)
    c.set('route', 'page')
    const tags = preloads.find(({ isAt }) => isAt(path))?.tags ?? ''
    return pageResponse(page.replace(preloadPlaceholder, tags))
  }
}

const Preloads = z.array(z.object({ path: z.string(), files: z.array(z.string()) }))

/** The files that the page at an address is drawn with, as tags by which a browser requests them at once. */
interface PagePreloads {
  readonly isAt: (path: string) => boolean
  readonly tags: string
}

function readPreloads(file: StaticFile | undefined): readonly PagePreloads[] {
  if (file === undefined) return []
  const rows = Preloads.parse(JSON.parse(new TextDecoder().decode(file.identity)))
  return rows.map(({ path, files }) => {
    const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)
    return { isAt: (asked) => pattern.test(asked), tags: files.map(preloadTag).join('') }
  })
}

function preloadTag(file: string): string {
  const what = file.endsWith('.css') ? 'rel="preload" as="style"' : 'rel="modulepreload"'
  // After what the heading is drawn with.
  return `<link ${what} fetchpriority="low" crossorigin href="/${file}">`
}

function fileResponse(file: StaticFile, asked: Headers, isWorker: boolean): Response {
  const encodings = asked.get('accept-encoding') ?? ''
  const [encoding, body] =
    file.brotli !== null && /\bbr\b/.test(encodings)
      ? ['br', file.brotli]
      : file.gzip !== null && /\bgzip\b/.test(encodings)
        ? ['gzip', file.gzip]
        : [null, file.identity]
  // A worker lives under the policy of its own file: it may load its further parts, and nothing else.
  const isScript = file.type.startsWith('text/javascript')
  const policy = [
    "default-src 'none'",
    ...(isScript ? ["script-src 'self'"] : []),
    ...(isWorker ? ["connect-src 'self'"] : []),
    "frame-ancestors 'none'",
  ]
  const headers = new Headers({
    ...commonHeaders,
    'content-security-policy': policy.join('; '),
    'content-type': file.type,
    'cache-control': file.hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: file.etag,
    vary: 'Accept-Encoding',
  })
  if (asked.get('if-none-match') === file.etag) return new Response(null, { status: 304, headers })
  if (encoding !== null) headers.set('content-encoding', encoding)
  headers.set('content-length', String(body.length))
  return new Response(body, { headers })
}

function pageResponse(page: string): Response {
  const nonce = randomBytes(16).toString('base64')
  return new Response(page.replaceAll(noncePlaceholder, nonce), {
    headers: {
      ...commonHeaders,
      'content-security-policy': pagePolicy(nonce),
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    },
  })
}

/** Addresses of packages hold dots, but below the root, in `/assets` and before a dot live files. */
function isPage(path: string, accept: string | undefined): boolean {
  const acceptsPage = accept === undefined || /text\/html|\*\/\*/.test(accept)
  const looksLikeFile = /^\/assets\/|^\/[^/]*\.[^/]*$|\/\.|\.map$/.test(path)
  return acceptsPage && !looksLikeFile
}

const nothingThere = problem(
  404,
  'not-found',
  'Not found',
  'Nothing exists at this address. The dashboard is at "/".',
)

/** One file of the built client, held in memory in every encoding that the build made of it. */
export interface StaticFile {
  readonly type: string
  readonly etag: string
  /** Its name changes with its content, so that it may be kept for ever. */
  readonly hashed: boolean
  readonly identity: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer> | null
  readonly brotli: Uint8Array<ArrayBuffer> | null
}
