import { expect, test } from 'vitest'
import { hostileReport } from '../policy/scan-report.test-support.ts'
import { exportText } from './report-formats.ts'

test('the text for a terminal has no order for a terminal or a pipeline in it', () => {
  const report = hostileReport({ caveats: ['broken \u001b[2J off'] })
  const groups = report.groups.map((group) => ({
    ...group,
    remediation: 'Upgrade.\n::set-output name=x::y\n\u001b]0;title\u0007\u202Egnp',
  }))
  const text = exportText({ ...report, groups }, false)
  expect(text).not.toMatch(/[^\P{Cc}\n]|\u202E/u)
  expect(text).not.toMatch(/^\s*::/m)
  expect(text).toContain('      | fix: ::set-output name=x::y')
  expect(exportText(report, true)).toContain('\u001b[31m✕ unsatisfied')
})
