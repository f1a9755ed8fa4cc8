import { Button, Menu } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import type { WallContent } from '../../../protocol/wall.ts'
import { countOf } from '../../../protocol/count.ts'
import { useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import { MenuCaret } from '../../ui/menu-caret.tsx'
import { newestBuilds } from './tile-editor.tsx'
import {
  allProjects,
  type KnownWork,
  releaseNight,
  teams,
  type WallTemplate,
} from './wall-templates.ts'

/** Begins a wall with what is known here: all projects, a release, or a team. */
export function TemplateChoice({
  packages,
  onChoose,
}: {
  packages: KnownWork['packages']
  onChoose: (content: WallContent) => void
}): ReactElement {
  const { feed } = useServices()
  // For as long as the page is there the feed is followed: what it knows makes the templates.
  useStore(feed, ({ connection }) => connection.state)
  const [known, setKnown] = useState<KnownWork>()
  const choices = known === undefined ? [] : [releaseNight(known), allProjects(known)]
  return (
    <Menu
      position="bottom-start"
      onOpen={() => {
        setKnown({ builds: newestBuilds(feed), packages })
      }}
    >
      <Menu.Target>
        <Button variant="default" rightSection={<MenuCaret />}>
          Use a template
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah="60vh" style={{ overflow: 'auto' }}>
        {choices.map((template) => (
          <Choice key={template.label} template={template} onChoose={onChoose} />
        ))}
        {known !== undefined && (
          <>
            <Menu.Label>One team</Menu.Label>
            {teams(known).map((template) => (
              <Choice key={template.label} template={template} onChoose={onChoose} />
            ))}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

function Choice({
  template: { label, about, content },
  onChoose,
}: {
  template: WallTemplate
  onChoose: (content: WallContent) => void
}): ReactElement {
  return (
    <Menu.Item
      title={about}
      onClick={() => {
        onChoose(content)
      }}
    >
      {label}, {countOf(content.tiles.length, 'tile')}
    </Menu.Item>
  )
}
