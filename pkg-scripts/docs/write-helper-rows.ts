// Writes the rows of helpers into the pages that have a table of them; a test fails while one is out of date.

import { writeHelperRows } from './helper-rows.ts'

await writeHelperRows()
