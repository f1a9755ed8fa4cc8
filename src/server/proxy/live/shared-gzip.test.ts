import fc from 'fast-check'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createGzipTrail, gzipHeader, gzipPiece } from './shared-gzip.ts'

test('any choice of shared pieces is a whole gzip file of their texts', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ minLength: 200, maxLength: 2000 }),
    fc
      .nat(1000)
      .map((number) => `id: b${number}\nevent: Build\ndata: {"a":1}\n\n`.repeat(number % 40)),
  )
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 20 }),
      fc.infiniteStream(fc.boolean()),
      (texts, chosen) => {
        const pieces = texts.map((plain) => ({ plain, piece: gzipPiece(Buffer.from(plain)) }))
        // Two readers share the pieces; one of them came later or was somewhere else meanwhile.
        const some = pieces.filter(() => chosen.next().value)
        for (const own of [pieces, some]) {
          const trail = createGzipTrail()
          for (const { piece } of own) trail.add(piece)
          const file = Buffer.concat([
            gzipHeader,
            ...own.map(({ piece }) => piece.bytes),
            trail.trailer(),
          ])
          expect(gunzipSync(file).toString()).toBe(own.map(({ plain }) => plain).join(''))
        }
      },
    ),
  )
})
