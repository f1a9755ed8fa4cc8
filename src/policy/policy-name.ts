/** What the URI of a policy says of it. */
export interface PolicyName {
  /**
   * Such as `BuildTool`; empty where the URI does not have the shape of
   * docs/services.md#policy-result.
   */
  readonly kind: string
  readonly name: string
}

/**
 * Reads `/policies/<kind>/<name>`, also at the end of an absolute address
 * (docs/services.md#policy-result).
 */
export function policyName(policyUri: string): PolicyName {
  const parts =
    policyUri
      .split(/[?#]/, 1)[0]
      ?.split('/')
      .filter((part) => part !== '') ?? []
  const name = decoded(parts.at(-1) ?? policyUri)
  return parts.at(-3) === 'policies'
    ? { kind: decoded(parts.at(-2) ?? ''), name }
    : { kind: '', name }
}

/** What two runs have in common for one policy: servers changed from paths to absolute addresses. */
export function policyKey(policyUri: string): string {
  const start = policyUri.indexOf('/policies/')
  return start === -1 ? policyUri : policyUri.slice(start)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
