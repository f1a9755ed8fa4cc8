import {
  lazy,
  type ReactElement,
  type ReactNode,
  Suspense,
  useEffect,
  useRef,
  useState,
} from 'react'
import { KeyHint, useKeyRegistry } from '../../ui/keys.tsx'
import type { PanelProps } from './wall-commands.ts'
import css from './wall-panels.module.css'

/** What can be opened above a wall. */
export type WallPanel = 'edit' | 'settings' | 'share' | 'screens' | 'keys'

const headings: Record<WallPanel, string> = {
  edit: 'Tiles of this wall',
  settings: 'How this wall is shown',
  share: 'Share this wall',
  screens: 'Screens',
  keys: 'Keys',
}

const EditPanel = lazy(async () => ({ default: (await import('./edit-panel.tsx')).EditPanel }))
const SettingsPanel = lazy(async () => ({
  default: (await import('./settings-panel.tsx')).SettingsPanel,
}))
const SharePanel = lazy(async () => ({ default: (await import('./share-panel.tsx')).SharePanel }))
const ScreensPanel = lazy(async () => ({
  default: (await import('./screens-panel.tsx')).ScreensPanel,
}))

/** The panel that is open, if one is, as a dialog above the wall. */
export function WallPanels({
  panel,
  ...props
}: PanelProps & { panel: WallPanel | undefined }): ReactElement | null {
  if (panel === undefined) return null
  return (
    <Dialog heading={headings[panel]} isWide={panel === 'edit'} onClose={props.onClose}>
      <Suspense fallback={<p>Loading…</p>}>
        {panel === 'edit' && <EditPanel {...props} />}
        {panel === 'settings' && <SettingsPanel {...props} />}
        {panel === 'share' && <SharePanel {...props} />}
        {panel === 'screens' && <ScreensPanel />}
        {panel === 'keys' && <KeysPanel />}
      </Suspense>
    </Dialog>
  )
}

function Dialog({
  heading,
  isWide,
  onClose,
  children,
}: {
  heading: string
  isWide: boolean
  onClose: () => void
  children: ReactNode
}): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const { current } = dialog
    current?.showModal()
    return () => {
      current?.close()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className={css.dialog}
      data-wide={isWide || undefined}
      aria-labelledby="wall-panel-heading"
      onClose={onClose}
    >
      <div className={css.top}>
        <h2 id="wall-panel-heading" className={css.heading}>
          {heading}
        </h2>
        <button type="button" className={css.button} onClick={onClose}>
          Close
        </button>
      </div>
      {children}
    </dialog>
  )
}

/** The keys that work on a wall. */
function KeysPanel(): ReactElement {
  const registry = useKeyRegistry()
  const [groups] = useState(registry.groups)
  return (
    <dl className={css.fields}>
      {groups
        .flatMap(({ bindings }) => bindings)
        .map(({ keys, label }) => (
          <div key={keys[0]} style={{ display: 'contents' }}>
            <dt>
              <KeyHint keys={keys[0]} />
            </dt>
            <dd style={{ margin: 0 }}>{label}</dd>
          </div>
        ))}
    </dl>
  )
}
