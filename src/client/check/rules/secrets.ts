import type { Run } from '../runs/run.ts'
import { defineRules, fail, pass, type RuleResult, skip, warn } from './rule.ts'

/** Whether it shows a secret to anybody but the client. */
export const secretRules = defineRules({
  'secret-in-stderr': {
    proves: 'it writes no part of the token or of a secret header to stderr',
    needs: ['headers'],
    scenarios: ['background', 'silent-contexts'],
    validate: (_, { allRuns }) =>
      validateExposures(allRuns, ['stderr'], 'a client logs stderr: leave out even the first characters'),
  },
  'secret-in-children': {
    proves: 'no secret stands in the arguments or the environment of its child processes',
    needs: ['headers'],
    scenarios: ['background', 'silent-contexts'],
    validate: (_, { allRuns, platform }) => {
      if (platform === 'win32') return skip('processes are watched on Linux and macOS only')
      if (platform === 'linux' && allRuns.every(({ nesting }) => nesting === 0))
        return skip('it ended before its processes could be seen')
      return validateExposures(
        allRuns,
        ['arguments', 'environment'],
        'pass it to the child on stdin, or do without the child',
      )
    },
  },
  'secret-in-files': {
    proves: 'no secret stands in a file of its own that everybody can read',
    needs: ['headers'],
    scenarios: ['background', 'silent-contexts'],
    validate: (_, { fileSearch: { files, isComplete }, platform }) => {
      if (platform === 'win32') return skip('files are searched on Linux and macOS only')
      const hint = 'create the file with mode 0600, in a directory with mode 0700'
      const [first] = files
      const reachable = files.find(({ isReachable }) => isReachable)
      if (reachable) return fail(`${reachable.what} is in ${reachable.path}`, hint)
      if (first)
        return warn(`${first.what} is in ${first.path}, which only a closed folder above it keeps from others`, hint)
      if (!isComplete) return skip('none was found, but there are more files than are looked at')
      return pass('none under its home, cache and temporary directories')
    },
  },
})

function validateExposures(allRuns: readonly Run[], places: readonly string[], hint: string): RuleResult {
  for (const { exposures, title } of allRuns) {
    const found = exposures.find(({ where }) => places.includes(where))
    if (found) return fail(`${found.what} was seen in its ${nameOf(found.where)} ${title}`, hint)
  }
  return pass(`nothing was seen in ${allRuns.length} runs`)
}

function nameOf(where: string): string {
  return where === 'stderr' ? where : `children's ${where}`
}
