/** The headers of a stream that no proxy may hold back, store or change. */
export function sseHeaders(gzip: boolean): Record<string, string> {
  return {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
    Vary: 'Accept-Encoding',
    ...(gzip ? { 'Content-Encoding': 'gzip' } : {}),
  }
}

/** Whether an Accept-Encoding header asks for gzip (docs/services.md#export-compression). */
export function acceptsGzip(header: string | undefined): boolean {
  return (header ?? '').split(',').some((part) => {
    const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return coding === 'gzip' && (quality === undefined || Number(quality.slice(2)) > 0)
  })
}
