import { Checkbox, NativeSelect, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { canStore } from '../../ui/drafts.ts'
import type { WallSettings } from './wall-link.ts'
import { playTone } from './tile-changes.ts'
import { type PanelProps, useWallCommands } from './wall-commands.ts'

/** How a wall is shown; every change is seen at once. */
export function SettingsPanel({ home, choice }: PanelProps): ReactElement {
  const [search] = useSearchParams()
  const [isStored] = useState(() => canStore())
  const { hash } = useLocation()
  const { settings } = choice
  const { setSettings } = useWallCommands({ name: home.name, wall: home, choice })
  const [problem, setProblem] = useState('')
  const change = (part: Partial<WallSettings>): void => {
    setSettings({ ...settings, ...part })
  }
  const fields = { settings, change }

  async function changeNotify(notify: boolean): Promise<void> {
    const isDenied = notify && (await Notification.requestPermission()) !== 'granted'
    setProblem(isDenied ? 'The browser blocks notifications from this page.' : '')
    change({ notify: notify && !isDenied })
  }

  return (
    <Stack gap="md">
      <Text c="dimmed">
        {search.has('settings') || hash !== ''
          ? "This wall's settings are part of its link. Changes update the link."
          : isStored
            ? 'Stored on this device for this wall. “Share” puts the settings into a link.'
            : "This browser can't store the settings. “Share” puts them into a link."}
      </Text>
      <Choice
        {...fields}
        name="healthy"
        label="Healthy tiles"
        choices={{ auto: 'If there is room', show: 'Always shown', fold: 'As a count' }}
      />
      <Choice
        {...fields}
        name="scheme"
        label="Color scheme"
        choices={{ dark: 'Dark', light: 'Light' }}
      />
      <Choice
        {...fields}
        name="palette"
        label="Palette"
        choices={{
          standard: 'Green and red',
          blue: 'Blue and orange',
          contrast: 'Brightness only',
        }}
      />
      <Amount {...fields} name="margin" label="TV overscan margin, % per side" range={[0, 10]} />
      <Amount {...fields} name="page" label="Seconds per page" range={[5, 600]} />
      <Amount {...fields} name="dimFrom" label="Dim from, hour" range={[0, 23]} />
      <Amount
        {...fields}
        name="dimTo"
        label="Dim until, hour"
        hint="The same hour twice: never dimmed"
        range={[0, 23]}
      />
      <TextInput
        label="Rotate with walls"
        description="Space-separated names; * is the wall of all projects"
        placeholder="team core *"
        defaultValue={settings.rotate.join(' ')}
        onChange={({ currentTarget }) => {
          change({ rotate: currentTarget.value.split(/[\s,]+/).filter((name) => name !== '') })
        }}
      />
      <Amount {...fields} name="turn" label="Seconds per wall" range={[10, 3600]} />
      <Switch {...fields} name="clock" label="Clock" />
      <Switch {...fields} name="qr" label="QR code to the build on large failing tiles" />
      <Switch {...fields} name="drift" label="Move slowly to prevent burn-in" />
      <Checkbox
        label="Sound when a tile fails or recovers"
        checked={settings.sound}
        onChange={({ currentTarget: { checked } }) => {
          // Browsers let a page make sounds only after a person did something: this is it.
          if (checked) playTone('recovered')
          change({ sound: checked })
        }}
      />
      <Switch {...fields} name="speech" label="Read changes aloud" />
      {'Notification' in window && (
        <Checkbox
          label="Browser notifications"
          checked={settings.notify}
          onChange={({ currentTarget }) => void changeNotify(currentTarget.checked)}
        />
      )}
      <Text role="status" c="bad" inherit>
        {problem}
      </Text>
    </Stack>
  )
}

interface FieldProps<Value> {
  readonly settings: WallSettings
  readonly change: (part: Partial<WallSettings>) => void
  readonly name: {
    [Name in keyof WallSettings]: WallSettings[Name] extends Value ? Name : never
  }[keyof WallSettings]
  readonly label: string
}

/** One of a few. */
function Choice<Name extends 'healthy' | 'scheme' | 'palette'>({
  settings,
  change,
  name,
  label,
  choices,
}: {
  settings: WallSettings
  change: FieldProps<string>['change']
  name: Name
  label: string
  choices: Readonly<Record<WallSettings[Name], string>>
}): ReactElement {
  const names: readonly string[] = Object.keys(choices)
  const isChoice = (value: string): value is WallSettings[Name] => names.includes(value)
  return (
    <NativeSelect
      label={label}
      value={settings[name]}
      data={Object.entries<string>(choices).map(([value, text]) => ({ value, label: text }))}
      onChange={({ currentTarget: { value } }) => {
        if (isChoice(value)) change({ [name]: value })
      }}
    />
  )
}

/** A number within a range; while anything else stands there, nothing changes. */
function Amount({
  settings,
  change,
  name,
  label,
  hint,
  range: [least, most],
}: FieldProps<number> & {
  hint?: string
  range: readonly [number, number]
}): ReactElement {
  return (
    <NumberInput
      label={label}
      description={hint}
      defaultValue={settings[name]}
      min={least}
      max={most}
      allowDecimal={false}
      onChange={(value) => {
        if (typeof value === 'number' && value >= least && value <= most) change({ [name]: value })
      }}
    />
  )
}

/** On or off. */
function Switch({ settings, change, name, label }: FieldProps<boolean>): ReactElement {
  return (
    <Checkbox
      label={label}
      checked={settings[name]}
      onChange={({ currentTarget }) => {
        change({ [name]: currentTarget.checked })
      }}
    />
  )
}
