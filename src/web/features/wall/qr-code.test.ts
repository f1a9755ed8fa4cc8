import jsQR from 'jsqr'
import { expect, test } from 'vitest'
import { qrPath } from './qr-code.tsx'

/** A picture of the path as a camera sees it, `scale` pixels for each module. */
function picture(text: string, scale: number): { pixels: Uint8ClampedArray; width: number } {
  const { path, size } = qrPath(text)
  const width = size * scale
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255)
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let row = 0; row < scale; row++) {
      const from = ((Number(y) * scale + row) * width + Number(x) * scale) * 4
      for (let index = 0; index < scale * 4; index++) {
        if (index % 4 !== 3) pixels[from + index] = 0
      }
    }
  }
  return { pixels, width }
}

test.each([
  'https://sightline.example.com/builds/k3j7abcd7a4c',
  'http://127.0.0.1:4100/builds/plain00000001?compare=plain00000002',
  `https://${'long-host.'.repeat(8)}example.com/builds/abcdefghijklm`,
])('another reader reads %s', (address) => {
  const { pixels, width } = picture(address, 3)
  expect(jsQR(pixels, width, width)?.data).toBe(address)
})
