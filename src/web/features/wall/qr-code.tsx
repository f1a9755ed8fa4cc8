import { type ReactElement, useMemo } from 'react'
import { encode } from 'uqr'
import css from './wall.module.css'

/** Modules that stay light around a code, by ISO/IEC 18004. */
const quiet = 4

/** A QR code as a path of squares of 1 x 1, and how many of them are side by side, the quiet zone among them. */
export function qrPath(text: string): { readonly path: string; readonly size: number } {
  const { data, size } = encode(text, { ecc: 'M', border: quiet })
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  return { path, size }
}

/** The address of a page of this dashboard, for the phone of whoever stands in front of a wall. */
export default function QrCode({ path: to }: { path: string }): ReactElement {
  // A camera needs it dark on light, whatever the colors of the wall.
  const { path, size } = useMemo(() => qrPath(new URL(to, location.origin).href), [to])
  return (
    <svg
      className={css.qr}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label="QR code of the build"
    >
      <path fill="#fff4ef" d={`M0 0h${size}v${size}h-${size}z`} />
      <path fill="#1c0b04" d={path} />
    </svg>
  )
}
