import CaptureGenerator
import Foundation
import Works

// bench-table FOLDER SHAPES: the table in Markdown, on standard output.
//
// FOLDER has `runs.tsv`, which the suite wrote, and `footprint`, which `bench-work`
// printed; SHAPES are those that were measured, the one that the goals are about last.
let arguments = CommandLine.arguments
let shapes = arguments.count == 3 ? Shapes.parse(arguments[2]) : []
guard let main = shapes.last else {
  FileHandle.standardError.write(Data("usage: bench-table FOLDER SHAPES\n".utf8))
  exit(2)
}
let results = try Results(folder: arguments[1])
print(workTable(results, main))
if shapes.count > 2 { print(growthTable(results, shapes)) }
print(footprintTable(try String(contentsOfFile: "\(arguments[1])/footprint", encoding: .utf8)))
