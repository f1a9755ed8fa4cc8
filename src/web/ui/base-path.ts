/** Where the dashboard lies: a proxy serves it at the root, the static demo stands in any folder. */
export const basePath =
  import.meta.env.MODE === 'demo'
    ? new URL(import.meta.url.replace(/assets\/[^/]*$/, '')).pathname
    : '/'
