/** A JSON text as JSON.parse reads it; undefined where it is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A text as searches and groups compare it: in no case of letters, to which the final sigma belongs. */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ')
}

/** A whole URL, or undefined where it is none: `URL.parse`, which browsers of 2023 don't have. */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** The message of what was thrown, whatever that is. It may quote a server: what people read of it has secrets masked first. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
