import { useMantineColorScheme } from '@mantine/core'
import { usePreferences, usePreferenceStore } from '../ui/device-preferences.ts'

/** What can be chosen for this device: one of a few options. */
export interface DeviceChoice {
  readonly name: string
  readonly options: readonly {
    readonly label: string
    readonly isChosen: boolean
    readonly choose: () => void
  }[]
}

const zones = [
  ['local', 'Local'],
  ['utc', 'UTC'],
] as const
const schemes = [
  ['auto', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

/** The choices of this device, for the menu, the drawer and the palette. */
export function useDeviceChoices(): readonly DeviceChoice[] {
  const store = usePreferenceStore()
  const { zone } = usePreferences()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return [
    {
      name: 'Time zone',
      options: zones.map(([value, label]) => ({
        label,
        isChosen: zone === value,
        choose: () => {
          store.change({ zone: value })
        },
      })),
    },
    {
      name: 'Color scheme',
      options: schemes.map(([value, label]) => ({
        label,
        isChosen: colorScheme === value,
        choose: () => {
          setColorScheme(value)
        },
      })),
    },
  ]
}
