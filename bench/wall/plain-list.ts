/**
 * The same builds as simply as they can be shown: a page that reads the feed and keeps the newest 300
 * in a list, drawn four times a second.
 */
export const plainList = `<!doctype html><title>Plain</title><ul></ul><script type="module">
const { token } = await (await fetch('/session', { method: 'POST' })).json()
const { body } = await fetch('/live/builds?since=' + (Date.now() - 60000) + '&batch', {
  headers: { authorization: 'Bearer ' + token, accept: 'text/event-stream' },
})
const list = document.querySelector('ul')
const facts = new Map()
let waiting = []
setInterval(() => {
  const rows = waiting.slice(-300).map((build) => {
    const row = document.createElement('li')
    row.textContent = build.buildId + ' ' + build.toolType + ' ' + (facts.get(build.buildId)?.outcome ?? '')
    return row
  })
  waiting = []
  list.prepend(...rows.reverse())
  while (list.children.length > 300) list.lastChild.remove()
  if (facts.size > 5000) facts.clear()
}, 250)
let rest = ''
for await (const text of body.pipeThrough(new TextDecoderStream())) {
  const parts = (rest + text).split('\\n\\n')
  rest = parts.pop()
  for (const part of parts) {
    const event = /^event: (.*)$/m.exec(part)?.[1]
    const data = /^data: (.*)$/m.exec(part)?.[1]
    if (event === 'Build') waiting.push(JSON.parse(data))
    if (event === 'Builds') waiting.push(...JSON.parse(data))
    if (event === 'Facts') {
      const known = JSON.parse(data)
      facts.set(known.buildId, known.facts)
    }
  }
}
</script>`
