import { Drawer, Modal } from '@mantine/core'
import { lazy, type ReactElement, Suspense, useState } from 'react'
import { Fact, Facts } from '../../ui/page.tsx'
import { KeyHint, useKeyRegistry } from '../../ui/keys.tsx'
import type { PanelProps, WallPanel } from './wall-commands.ts'
import css from './wall.module.css'

const headings: Record<WallPanel, string> = {
  edit: 'Tiles of this wall',
  settings: 'Wall settings',
  share: 'Share this wall',
  screens: 'Screens',
  keys: 'Keyboard shortcuts',
}

const EditPanel = lazy(async () => ({ default: (await import('./edit-panel.tsx')).EditPanel }))
const SettingsPanel = lazy(async () => ({
  default: (await import('./settings-panel.tsx')).SettingsPanel,
}))
const SharePanel = lazy(async () => ({ default: (await import('./share-panel.tsx')).SharePanel }))
const ScreensPanel = lazy(async () => ({
  default: (await import('./screens-panel.tsx')).ScreensPanel,
}))

/** The panel that is open above the wall: settings at the side, as each change is seen at once. */
export function WallPanels({ panel, ...props }: PanelProps & { panel: WallPanel }): ReactElement {
  const Frame = panel === 'settings' ? Drawer : Modal
  return (
    <Frame
      opened
      title={headings[panel]}
      size={panel === 'edit' ? 1100 : panel === 'settings' ? 400 : 560}
      classNames={{ content: css.panel }}
      overlayProps={{ backgroundOpacity: panel === 'settings' ? 0 : 0.5 }}
      onClose={props.onClose}
    >
      <Suspense fallback={<p>Loading…</p>}>
        {panel === 'edit' && <EditPanel {...props} />}
        {panel === 'settings' && <SettingsPanel {...props} />}
        {panel === 'share' && <SharePanel {...props} />}
        {panel === 'screens' && <ScreensPanel />}
        {panel === 'keys' && <KeysPanel />}
      </Suspense>
    </Frame>
  )
}

/** The keys that work on a wall. */
function KeysPanel(): ReactElement {
  const registry = useKeyRegistry()
  const [groups] = useState(registry.groups)
  return (
    <Facts>
      {groups
        .flatMap(({ bindings }) => bindings)
        .map(({ keys, label }) => (
          <Fact key={keys[0]} name={<KeyHint keys={keys[0]} />}>
            {label}
          </Fact>
        ))}
    </Facts>
  )
}
