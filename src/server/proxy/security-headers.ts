import type { MiddlewareHandler } from 'hono'

/** The headers of every answer, whoever makes it. */
export const commonHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'accelerometer=(), camera=(), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=()',
}

/** For answers that are data: should one ever be opened as a page, nothing in it may run. */
export const dataHeaders: Readonly<Record<string, string>> = {
  ...commonHeaders,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cache-control': 'no-store',
  vary: 'Origin',
}

/** Adds `dataHeaders` to every answer that comes without a policy of its own, as pages do. */
export const secureData: MiddlewareHandler = async (c, next) => {
  await next()
  const { headers } = c.res
  // The live feed has written its head already, and its stand-in is shared by all requests.
  if (headers.has('content-security-policy') || headers.has(alreadySent)) return
  for (const [name, value] of Object.entries(dataHeaders)) headers.set(name, value)
}

/** How @hono/node-server marks an answer that a handler has written by itself. */
const alreadySent = 'x-hono-already-sent'

/**
 * The content security policy of the dashboard's page: its own scripts, its own connections, its own
 * styles and the style elements that carry `nonce`. Style attributes are set through the CSSOM, which
 * no policy forbids, so that nothing here is `unsafe`.
 */
export function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "media-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    // Scripts only through the one policy of web/app/trusted-types.ts, where browsers know of it.
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ')
}
