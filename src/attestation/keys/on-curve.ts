import { hexOf } from '../decode/bytes.ts'
import { type Curve, curves } from './key-algorithm.ts'

/**
 * Whether a point as X9.62 writes it, compressed or not, is on its curve. Keys that aren't are refused
 * when they are read: what an engine makes of them is its own affair (SEC 1, 3.2.2.1).
 */
export function isOnCurve(curve: Curve, point: Uint8Array): boolean {
  const { prime, b, size } = curves[curve]
  const x = bigOf(point.subarray(1, 1 + size))
  if (x >= prime) return false
  const right = (((x * x) % prime) * x + (prime - 3n) * x + b) % prime
  if (point[0] !== 4) return isSquare(right, prime)
  const y = bigOf(point.subarray(1 + size))
  return y < prime && (y * y) % prime === right
}

/** Whether 32 bytes are the y of a point of Ed25519 (RFC 8032, 5.1.3). */
export function isOnEdwards(point: Uint8Array): boolean {
  const bytes = point.toReversed()
  bytes[0] = (bytes[0] ?? 0) & 0x7f
  const y = bigOf(bytes)
  if (y >= edwardsPrime) return false
  const square = (y * y) % edwardsPrime
  // x² = (y² - 1) / (d y² + 1): a square as a whole if their product is one.
  const [above, below] = [square + edwardsPrime - 1n, edwardsD * square + 1n]
  return isSquare((above * below) % edwardsPrime, edwardsPrime)
}

const edwardsPrime = (1n << 255n) - 19n
const edwardsD = 37095705934669439343138083508754565189542113879843219016388785533085940283555n

function bigOf(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${hexOf(bytes)}`)
}

/** Euler's criterion. */
function isSquare(value: bigint, prime: bigint): boolean {
  let [result, base] = [1n, value % prime]
  for (let rest = (prime - 1n) / 2n; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * base) % prime
    base = (base * base) % prime
  }
  return result === 1n || value % prime === 0n
}
