import CaptureGenerator
import Foundation
import Works

// bench-table FOLDER SHAPES: writes the tables in Markdown to standard output.
//
// FOLDER has `runs.tsv` from the suite and `footprint`, the output of `bench-work`. SHAPES are the
// measured shapes; the goals apply to the last one.
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
