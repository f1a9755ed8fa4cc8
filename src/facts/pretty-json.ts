/**
 * JSON with a line for each value, as JSON.stringify would lay it out, but made from the text: each
 * number keeps all its digits, and each text its escapes. What is not JSON comes out somehow.
 */
export function prettyJson(text: string): string {
  let pretty = ''
  let depth = 0
  for (const token of text.match(tokens) ?? []) {
    if (token === '{' || token === '[') {
      depth += 1
      pretty += `${token}${lineStart(depth)}`
    } else if (token === '}' || token === ']') {
      depth = Math.max(0, depth - 1)
      pretty += `${lineStart(depth)}${token}`
    } else if (token === ',') pretty += `${token}${lineStart(depth)}`
    else if (token === ':') pretty += ': '
    else pretty += token
  }
  return pretty.replace(/([{[])\s+([}\]])/g, '$1$2')
}

/** Strings as a whole, the marks of the structure, and whatever stands between them. */
const tokens = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g

function lineStart(depth: number): string {
  return `\n${'  '.repeat(depth)}`
}
