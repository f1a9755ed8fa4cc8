import { type ReactElement, useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import type { WallSettings } from '../../ui/device-preferences.ts'
import { CheckField, ChoiceField, NamesField, NumberField } from './setting-fields.tsx'
import { playTone } from './tell-turns.ts'
import { useWallCommands } from './use-wall-commands.ts'
import type { PanelProps } from './panel-props.ts'
import css from './wall-panels.module.css'

/** How a wall is shown; every change is seen at once. */
export function SettingsPanel({ home, choice }: PanelProps): ReactElement {
  const [search] = useSearchParams()
  const { hash } = useLocation()
  const { settings } = choice
  const { setSettings } = useWallCommands({ name: home.name, wall: home, choice })
  const [refusal, setRefusal] = useState('')
  const change = (part: Partial<WallSettings>): void => {
    setSettings({ ...settings, ...part })
  }

  async function changeNotify(notify: boolean): Promise<void> {
    const isRefused = notify && (await Notification.requestPermission()) !== 'granted'
    setRefusal(isRefused ? 'The browser does not allow notifications of this page.' : '')
    change({ notify: notify && !isRefused })
  }

  return (
    <>
      <p className={css.hint}>
        {search.has('settings') || hash !== ''
          ? 'The link of this wall says how it is shown: what you change goes into the link.'
          : 'Kept on this device for this wall; “Share” writes it into a link.'}
      </p>
      <div className={css.fields}>
        <ChoiceField
          label="Healthy tiles"
          value={settings.healthy}
          choices={{ auto: 'As room allows', show: 'Always shown', fold: 'As a count' }}
          onChange={(healthy) => {
            change({ healthy })
          }}
        />
        <ChoiceField
          label="Colours"
          value={settings.scheme}
          choices={{ dark: 'Dark', light: 'Light' }}
          onChange={(scheme) => {
            change({ scheme })
          }}
        />
        <ChoiceField
          label="Palette"
          value={settings.palette}
          choices={{
            standard: 'Green and red',
            blue: 'Blue and orange',
            contrast: 'By brightness alone',
          }}
          onChange={(palette) => {
            change({ palette })
          }}
        />
        <NumberField
          label="Margin for televisions, % of each side"
          value={settings.margin}
          range={[0, 10]}
          onChange={(margin) => {
            change({ margin })
          }}
        />
        <NumberField
          label="A page stays, seconds"
          value={settings.page}
          range={[5, 600]}
          onChange={(page) => {
            change({ page })
          }}
        />
        <NumberField
          label="Dimmed from, hour"
          value={settings.dimFrom}
          range={[0, 23]}
          onChange={(dimFrom) => {
            change({ dimFrom })
          }}
        />
        <NumberField
          label="Dimmed until, hour (the same: never)"
          value={settings.dimTo}
          range={[0, 23]}
          onChange={(dimTo) => {
            change({ dimTo })
          }}
        />
        <NamesField
          label="Takes turns with the walls (*: all projects)"
          value={settings.rotate}
          example="team core *"
          onChange={(rotate) => {
            change({ rotate })
          }}
        />
        <NumberField
          label="A turn lasts, seconds"
          value={settings.turn}
          range={[10, 3600]}
          onChange={(turn) => {
            change({ turn })
          }}
        />
        <CheckField
          label="Clock"
          isOn={settings.clock}
          onChange={(clock) => {
            change({ clock })
          }}
        />
        <CheckField
          label="Wander slowly, against burning in"
          isOn={settings.drift}
          onChange={(drift) => {
            change({ drift })
          }}
        />
        <CheckField
          label="Sound when something turns red or recovers"
          isOn={settings.sound}
          onChange={(sound) => {
            // Browsers let a page sound only after a person has done something: this is it.
            if (sound) playTone('recovered')
            change({ sound })
          }}
        />
        <CheckField
          label="Say it aloud"
          isOn={settings.speech}
          onChange={(speech) => {
            change({ speech })
          }}
        />
        {'Notification' in window && (
          <CheckField
            label="Notifications of this browser"
            isOn={settings.notify}
            onChange={(notify) => void changeNotify(notify)}
          />
        )}
      </div>
      <p role="status" className={css.mistake}>
        {refusal}
      </p>
    </>
  )
}
