import { expect, test } from 'vitest'
import { hostileReport } from '../policy/scan-report.test-support.ts'
import { exportText, reportFormats } from './report-formats.ts'

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

test('in no format two artifacts of one package are one', () => {
  const reports = ['r.example/x', 'r.example/y'].map((repositoryUrl) =>
    hostileReport({ repositoryUrl, apart: repositoryUrl, caveats: ['It broke off.'] }),
  )
  const passing = reports.map((one) => ({
    ...one,
    caveats: [],
    verdict: { ...one.verdict, verdict: 'releasable' as const },
  }))
  const told = {
    text: reportFormats.text(passing, false, 'Releasable.').match(/^✓ .*(?=:)/gm),
    junit: reportFormats.junit(reports).match(/(?<=<testsuite name=")[^"]*/g),
    markdown: reportFormats.markdown(reports, false, undefined).match(/^## .*/gm),
    codequality: fingerprints(reportFormats.codequality(reports), /"fingerprint"/),
    sarif: fingerprints(reportFormats.sarif(reports), /"primaryLocationLineHash"/),
  }
  expect(told.text).toHaveLength(2)
  expect(told.codequality).toHaveLength(6)
  expect(told.sarif).toHaveLength(6)
  for (const names of Object.values(told)) expect(new Set(names).size).toBe(names?.length)
})

function fingerprints(text: string, name: RegExp): string[] {
  return text.split('\n').filter((line) => name.test(line))
}
