import { allFound, type FoundKeys, found, notAKey } from './found-keys.ts'
import { readJwk } from './jwk.ts'
import { keysInText } from './keys-in-text.ts'

/**
 * The keys of a parsed JSON or YAML value: a JSON Web Key or a set of them, the map of the policy
 * files (`{name: {pem | pemBase64}}`, alone or under `keys` or `spec`;
 * docs/attestations.md#keys-in-files), a map of names to texts, or a list of any of these.
 */
export function keysInJson(value: unknown, where = '', depth = 0): FoundKeys {
  if (typeof value === 'string') return keysInText(value, where)
  // Deep enough for every form above, and no nesting can overflow anything.
  if (typeof value !== 'object' || value === null || depth > 4) return notAKey(where, noKeyHere)
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value
    if (items.length === 0) return notAKey(where, noKeyHere)
    return allFound(
      items.map((item, at) => keysInJson(item, where || `number ${at + 1} of the list`, depth + 1)),
    )
  }
  const members = new Map<string, unknown>(Object.entries(value))
  if (members.has('kty')) return ofJwk(Object.fromEntries(members), where)
  for (const name of ['pem', 'pemBase64']) {
    const text = members.get(name)
    if (typeof text === 'string') return keysInText(text, where)
  }
  for (const name of ['keys', 'spec']) {
    if (members.has(name)) return keysInJson(members.get(name), where, depth + 1)
  }
  if (members.size === 0) return notAKey(where, noKeyHere)
  return allFound(
    [...members].map(([name, member]) => named(name, keysInJson(member, placeOf(name), depth + 1))),
  )
}

const noKeyHere =
  'There is no key here. Expected is a JSON Web Key, a set of them, or a map of names to {"pem": …} or {"pemBase64": …}.'

function ofJwk(jwk: Readonly<Record<string, unknown>>, where: string): FoundKeys {
  const result = readJwk(jwk)
  if (!result.ok) return notAKey(where, result.problem)
  return found({ key: result.key, name: result.kid, jwsAlgorithm: result.alg })
}

/** A name in a map is the name of its key; where it holds several, they keep what they have. */
function named(name: string, { keys, mistakes }: FoundKeys): FoundKeys {
  const [only] = keys
  return keys.length === 1 && only ? { keys: [{ ...only, name }], mistakes } : { keys, mistakes }
}

function placeOf(name: string): string {
  return `the key "${name.replaceAll(/[^ -~]/g, '?').slice(0, 80)}"`
}
