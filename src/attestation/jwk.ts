import { decodeBase64 } from './base64.ts'
import { joinBytes } from './bytes.ts'
import { curveNames, curves } from './curves.ts'
import { type KeyNumbers, type PublicKey, publicKeyOf } from './public-key.ts'

export type JwkResult =
  | {
      readonly ok: true
      readonly key: PublicKey
      readonly kid: string | undefined
      readonly alg: string | undefined
    }
  | { readonly ok: false; readonly problem: string }

/**
 * The public key of a JSON Web Key (RFC 7517, 8037). One that holds a private or symmetric key is
 * refused, and nothing of it is repeated in the problem.
 */
export function readJwk(jwk: Readonly<Record<string, unknown>>): JwkResult {
  if (isSecretJwk(jwk)) return { ok: false, problem: secretJwk }
  const { kty, crv } = jwk
  const kid = typeof jwk.kid === 'string' ? jwk.kid : undefined
  const alg = typeof jwk.alg === 'string' ? jwk.alg : undefined
  const key = publicKeyOf(numbersOfJwk(jwk))
  if (key) return { ok: true, key, kid, alg }
  const name = typeof crv === 'string' && crv !== '' ? crv : kty
  const problem =
    typeof name === 'string' && unsupported.has(name)
      ? `No browser verifies with a JSON Web Key of type ${name}.`
      : 'The JSON Web Key is incomplete, or of a type that is not known.'
  return { ok: false, problem }
}

/** Whether a JSON Web Key holds what must stay secret (RFC 7518, 6.2.2, 6.3.2, 6.4). */
function isSecretJwk(jwk: Readonly<Record<string, unknown>>): boolean {
  return 'd' in jwk || 'k' in jwk || 'priv' in jwk || jwk.kty === 'oct'
}

const secretJwk =
  'This JSON Web Key holds a private or secret key. It was not kept. Remove it from where it is, ' +
  'and give the public key alone.'
const unsupported = new Set(['secp256k1', 'Ed448', 'X25519', 'X448', 'AKP'])

function numbersOfJwk(jwk: Readonly<Record<string, unknown>>): KeyNumbers | undefined {
  const number = (name: string): Uint8Array | undefined => {
    const text = jwk[name]
    const bytes = typeof text === 'string' && text !== '' ? decodeBase64(text) : undefined
    return bytes?.ok ? bytes.bytes : undefined
  }
  const [x, y, n, e] = [number('x'), number('y'), number('n'), number('e')]
  if (jwk.kty === 'RSA') return n && e && { type: 'RSA', modulus: n, exponent: e }
  if (jwk.kty === 'OKP' && jwk.crv === 'Ed25519') return x && { type: 'Ed25519', point: x }
  const curve = curveNames.find((name) => jwk.kty === 'EC' && jwk.crv === name)
  const isOfSize = (number: Uint8Array) => curve && number.length === curves[curve].size
  if (!curve || !x || !y || !isOfSize(x) || !isOfSize(y)) return undefined
  return { type: 'EC', curve, point: joinBytes(Uint8Array.of(4), x, y) }
}
