import Foundation
import PackagePlugin

/// Gives a room the files of its folder that are not Swift, as `EmbeddedFiles`.
@main
struct EmbedFiles: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = target.directoryURL
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path()).filter { path in
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(
                atPath: folder.appending(path: path).path(), isDirectory: &isFolder)
            return exists && !isFolder.boolValue && !path.hasSuffix(".swift") && !path.hasPrefix(".")
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        return [
            .buildCommand(
                displayName: "Embedding the files of \(target.name)",
                executable: try context.tool(named: "EmbedTool").url,
                arguments: [output.path(), folder.path()] + files.sorted(),
                inputFiles: files.map { folder.appending(path: $0) }, outputFiles: [output])
        ]
    }
}
