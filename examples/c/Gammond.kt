// gammond for Kotlin on Android and the JVM, over gammond_jni.c. An app packs libgammond.so and libgammond_jni.so for its
// processors into jniLibs.
package gammond

import java.io.Closeable

object Native {
    init {
        System.loadLibrary("gammond_jni")
    }

    @JvmStatic external fun open(): Long

    @JvmStatic external fun close(engine: Long)

    @JvmStatic external fun ask(engine: Long, lines: ByteArray): ByteArray
}

/** An engine with its nets inside. It may be used from many threads; calls block, so not from that of the screen. */
class Engine : Closeable {
    private val handle = Native.open()

    /** Answers lines of the request protocol by a line each: JSON, or as `set answer=text` says. */
    fun ask(lines: String): List<String> =
        String(Native.ask(handle, lines.toByteArray())).lines().filter { it.isNotEmpty() }

    /** The Position ID after the best play, the opponent on roll. */
    fun best(position: String, dice: String, plies: Int = 0): String =
        ask("move $position $dice plies=$plies answer=position").single()

    override fun close() = Native.close(handle)
}

fun main() {
    Engine().use { engine ->
        var position = "4HPwATDgc/ABMA"
        repeat(10) {
            val dice = "${(1..6).random()}${(1..6).random()}"
            position = engine.best(position, dice)
            println("$dice $position")
        }
    }
}
