import type { ReactElement, ReactNode } from 'react'

/** A term and what is known of it, for a `<dl>`; nothing where nothing is known. */
export function Fact({
  name,
  children,
}: {
  name: string
  children: ReactNode
}): ReactElement | null {
  if (children === undefined || children === null || children === false || children === '') {
    return null
  }
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}
