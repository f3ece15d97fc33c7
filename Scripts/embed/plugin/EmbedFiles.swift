import Foundation
import PackagePlugin

/// Gives a room the files of its folder that are not Swift, as `EmbeddedFiles`.
@main
struct EmbedFiles: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = target.directoryURL
        let files = try self.files(in: folder)
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        return [
            .buildCommand(
                displayName: "Embedding the files of \(target.name)",
                executable: try context.tool(named: "EmbedTool").url,
                arguments: [output, folder].map { $0.path(percentEncoded: false) } + files,
                inputFiles: files.map { folder.appending(path: $0) }, outputFiles: [output])
        ]
    }

    /// Their paths in the folder. What is hidden belongs to an editor or a system.
    private func files(in folder: URL) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false)).filter { path in
            let file = folder.appending(path: path)
            let isFile = try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
            return isFile && file.pathExtension != "swift" && !file.lastPathComponent.hasPrefix(".")
        }.sorted()
    }
}
