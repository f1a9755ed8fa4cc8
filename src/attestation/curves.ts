/** The curves on which WebCrypto verifies, by the names it gives them. */
export type Curve = 'P-256' | 'P-384' | 'P-521'

interface CurveFacts {
  /** Bytes of a coordinate, and of r and of s. */
  readonly size: number
  /** The order of the group, big-endian in hex, `size` bytes long. */
  readonly order: string
  /** The content of its object identifier in hex (RFC 5480, 2.1.1.1). */
  readonly oid: string
  /** RFC 5656, 10.1. */
  readonly sshName: string
}

export const curves: Readonly<Record<Curve, CurveFacts>> = {
  'P-256': {
    size: 32,
    order: 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551',
    oid: '2a8648ce3d030107',
    sshName: 'nistp256',
  },
  'P-384': {
    size: 48,
    order:
      'ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973',
    oid: '2b81040022',
    sshName: 'nistp384',
  },
  'P-521': {
    size: 66,
    order:
      '01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409',
    oid: '2b81040023',
    sshName: 'nistp521',
  },
}

/** The curves in the order of their size. */
export const curveNames: readonly Curve[] = ['P-256', 'P-384', 'P-521']
