import { type ReactElement, type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import css from './build-panel-frame.module.css'
import { CopyButton } from '../../ui/copy.tsx'

/** The panel of one build beside a list: its id, the ways on from it, and what is known of it. */
export function BuildPanelFrame({
  buildId,
  className,
  actions,
  onClose,
  children,
}: {
  buildId: string
  /** Sets `--panel-width`. */
  className: string | undefined
  /** Ways on besides opening the build, each a `PanelLink` or a `PanelButton`. */
  actions?: ReactNode
  onClose: () => void
  children: ReactNode
}): ReactElement {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <aside
      className={`${css.panel} ${className ?? ''}`}
      aria-label={`Build ${buildId}`}
      data-build-id={buildId}
    >
      <header className={css.header}>
        <h2 ref={heading} tabIndex={-1} className={css.id}>
          {buildId}
        </h2>
        <CopyButton text={buildId} what={`build id ${buildId}`} />
        <span className={css.actions}>
          <PanelLink to={`/builds/${buildId}`}>Open</PanelLink>
          {actions}
          <button type="button" className={css.action} aria-label="Close details" onClick={onClose}>
            ✕
          </button>
        </span>
      </header>
      {children}
    </aside>
  )
}

/** Leads on from the panel of a build. */
export function PanelLink({ to, children }: { to: string; children: ReactNode }): ReactElement {
  return (
    <Link className={css.action} to={to}>
      {children}
    </Link>
  )
}

/** Does something with the build of the panel. */
export function PanelButton({
  onClick,
  children,
}: {
  onClick: () => void
  children: ReactNode
}): ReactElement {
  return (
    <button type="button" className={css.action} onClick={onClick}>
      {children}
    </button>
  )
}
