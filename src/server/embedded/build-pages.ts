import { Hono } from 'hono'
import { isBuildId } from '../../protocol/build-id.ts'
import { findBuild } from '../store/build-listing.ts'
import type { Database } from '../store/database.ts'

/**
 * Where the builds that attestations name have their pages on a real server: `/s/<id>`. A reader is
 * sent on to the dashboard where there is one (`dashboard` tells its address); without, a small page
 * says where the data is. Nothing of a build is told, so that no credential is needed.
 */
export function createBuildPages(database: Database, dashboard: () => string | undefined): Hono {
  const app = new Hono()
  app.get('/:id', async (c) => {
    const id = c.req.param('id')
    const build = isBuildId(id) ? await findBuild(database, id) : undefined
    if (build === undefined) return c.html(page('There is no such build here.'), 404)
    const address = dashboard()
    return address === undefined
      ? c.html(
          page(
            `This is build ${id}. The embedded services have no pages of their own: open it in Sightline, or ask for <code>/api/builds/${id}</code> with an access key.`,
          ),
        )
      : c.redirect(`${address}/builds/${id}`, 302)
  })
  return app
}

function page(text: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Sightline embedded services</title>
<p>${text}</p>
</html>
`
}
