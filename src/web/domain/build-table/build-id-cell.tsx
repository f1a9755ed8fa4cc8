import { memo, type MouseEvent, type ReactElement, type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { CopyButton } from '../../ui/copy.tsx'
import { IdText } from '../../ui/text.tsx'

/** The last cell of a row of builds: the link to its page, which has the focus of the row, and its id to copy. */
export const BuildIdCell = memo(function BuildIdCell({
  buildId,
  place,
  className,
  isCurrent,
  isTabStop,
  onCurrent,
  children,
}: {
  buildId: string
  /** What `onCurrent` is called with: the index of the row, or its number. */
  place: number
  className: string | undefined
  isCurrent: boolean
  /** Whether the Tab key stops here: at one row of the list only. */
  isTabStop: boolean
  onCurrent: (place: number) => void
  children?: ReactNode
}): ReactElement {
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isCurrent) link.current?.focus({ preventScroll: true })
  }, [isCurrent])
  const tabIndex = isTabStop ? 0 : -1
  return (
    <div role="cell" className={className}>
      {children}
      <Link
        ref={link}
        to={`/builds/${buildId}`}
        tabIndex={tabIndex}
        aria-label={`Build ${buildId}`}
        onFocus={() => {
          onCurrent(place)
        }}
      >
        <IdText id={buildId} />
      </Link>
      <CopyButton text={buildId} what={`build id ${buildId}`} tabIndex={tabIndex} />
    </div>
  )
})

/** Whether a click on a row is meant for the row: not for a control in it, nor to select text. */
export function isRowClick({ target }: MouseEvent): boolean {
  const isControl = target instanceof Element && target.closest('a, button, label') !== null
  return !isControl && getSelection()?.isCollapsed !== false
}
