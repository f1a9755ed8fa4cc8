/** A JSON text as JSON.parse reads it; undefined where it is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A whole URL, or undefined where it is none: `URL.parse`, which browsers of 2023 don't have. */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
