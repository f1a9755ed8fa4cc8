import { Drawer, Modal } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { Fact, Facts } from '../../ui/page.tsx'
import { KeyHint, useKeyRegistry } from '../../ui/keys.tsx'
import type { PanelProps, WallPanel } from './wall-commands.ts'
import css from './wall.module.css'

const headings: Record<WallPanel, string> = {
  people: 'Failing tiles',
  settings: 'Wall settings',
  share: 'Share this wall',
  screens: 'Screens',
  keys: 'Keyboard shortcuts',
}

const waiting = () => <p>Loading…</p>
const PeoplePanel = lazyPart(async () => (await import('./people-panel.tsx')).PeoplePanel, {
  waiting,
})
const SettingsPanel = lazyPart(async () => (await import('./settings-panel.tsx')).SettingsPanel, {
  waiting,
})
const SharePanel = lazyPart(async () => (await import('./share-panel.tsx')).SharePanel, { waiting })
const ScreensPanel = lazyPart(async () => (await import('./screens-panel.tsx')).ScreensPanel, {
  waiting,
})

/** The panel that is open above the wall: settings at the side, as each change is seen at once. */
export function WallPanels({ panel, ...props }: PanelProps & { panel: WallPanel }): ReactElement {
  const Frame = panel === 'settings' ? Drawer : Modal
  return (
    <Frame
      opened
      title={headings[panel]}
      size={panel === 'settings' ? 400 : 560}
      classNames={{ content: css.panel }}
      overlayProps={{ backgroundOpacity: panel === 'settings' ? 0 : 0.5 }}
      onClose={props.onClose}
    >
      {panel === 'people' && <PeoplePanel {...props} />}
      {panel === 'settings' && <SettingsPanel {...props} />}
      {panel === 'share' && <SharePanel {...props} />}
      {panel === 'screens' && <ScreensPanel />}
      {panel === 'keys' && <KeysPanel />}
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
