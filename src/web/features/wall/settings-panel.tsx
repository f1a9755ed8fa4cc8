import { type ReactElement, useId, useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import type { WallSettings } from '../../ui/device-preferences.ts'
import { playTone } from './tile-changes.ts'
import { useWallCommands } from './wall-commands.ts'
import css from './wall-panels.module.css'
import type { PanelProps } from './wall-commands.ts'

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

/** One of a few. */
function ChoiceField<Choice extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  label: string
  value: Choice
  choices: Readonly<Record<Choice, string>>
  onChange: (choice: Choice) => void
}): ReactElement {
  const id = useId()
  const names: readonly string[] = Object.keys(choices)
  const isChoice = (name: string): name is Choice => names.includes(name)
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className={css.input}
        value={value}
        onChange={({ currentTarget }) => {
          if (isChoice(currentTarget.value)) onChange(currentTarget.value)
        }}
      >
        {names.filter(isChoice).map((name) => (
          <option key={name} value={name}>
            {choices[name]}
          </option>
        ))}
      </select>
    </>
  )
}

/** A number within a range; while something else stands there, nothing changes. */
function NumberField({
  label,
  value,
  range: [least, most],
  onChange,
}: {
  label: string
  value: number
  range: readonly [number, number]
  onChange: (value: number) => void
}): ReactElement {
  const id = useId()
  const [text, setText] = useState(String(value))
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="number"
        className={css.input}
        value={text}
        min={least}
        max={most}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          const number = currentTarget.valueAsNumber
          if (Number.isInteger(number) && number >= least && number <= most) onChange(number)
        }}
      />
    </>
  )
}

/** Names with spaces between them. */
function NamesField({
  label,
  value,
  example,
  onChange,
}: {
  label: string
  value: readonly string[]
  example: string
  onChange: (names: string[]) => void
}): ReactElement {
  const id = useId()
  const [text, setText] = useState(value.join(' '))
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={css.input}
        value={text}
        placeholder={example}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          onChange(currentTarget.value.split(/[\s,]+/).filter((name) => name !== ''))
        }}
      />
    </>
  )
}

/** On or off. */
function CheckField({
  label,
  isOn,
  onChange,
}: {
  label: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}): ReactElement {
  const id = useId()
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <span>
        <input
          id={id}
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget }) => {
            onChange(currentTarget.checked)
          }}
        />
      </span>
    </>
  )
}
